"""Masked breaks in classes: attributes, operators, data classes, enums, named tuples, class bodies."""
import abc, collections, dataclasses, enum, os, time, typing, uuid
import torch


class Celsius:
    def __get__(self, owner, kind=None):
        time.time()  # B1 | pass
        return owner.kelvin - 273

    def __set__(self, owner, value):
        print("set", value)  # B2 | pass
        owner.kelvin = value + 273


class Room:
    celsius = Celsius()

    def __init__(self, kelvin):
        self.kelvin = kelvin
        self.extra = {"height": 3}

    @property
    def warm(self):
        return self.kelvin + os.getpid() * 0  # B3 | return self.kelvin

    @warm.setter
    def warm(self, value):
        os.getppid()  # B4 | pass
        self.kelvin = value

    @staticmethod
    def scale(x):
        print("scale")  # B5 | pass
        return x * 2

    @classmethod
    def cold(cls):
        uuid.uuid4()  # B6 | pass
        return cls(273)

    def __getattr__(self, name):
        if name == "height":
            os.getuid()  # B7 | pass
            return self.extra["height"]
        raise AttributeError(name)


# 1 properties, descriptors, __getattr__, static and class methods
def attributes(x):
    room = Room.cold()
    x = x * room.celsius + Room.scale(x)
    room.celsius = 20
    room.warm = room.warm + 1
    return x * room.kelvin + room.height


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        print("add")  # B8 | pass
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k * os.cpu_count())  # B9 | return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __getitem__(self, i):
        time.monotonic()  # B10 | pass
        return (self.x, self.y)[i]

    def __len__(self):
        os.getgid()  # B11 | pass
        return 2

    def __eq__(self, other):
        uuid.uuid1()  # B12 | pass
        return self is other

    def __contains__(self, item):
        os.getpgrp()  # B13 | pass
        return item == 1

    def __call__(self, x):
        torch._dynamo.graph_break()  # B14 | pass
        return self.x * x + self.y


# 2 overloaded operators
def operators(x):
    v = Vector(1, 2) + 3 * Vector(x, x)
    x = v[0] + v[1] + len(v)
    if v == v:
        x = x + 1
    if 1 in v:
        x = x * 2
    return v(x)


@dataclasses.dataclass
class Config:
    width: int
    scale: float = 2.0
    tags: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        print("config", self.width)  # B15 | pass
        self.area = self.width * self.width


class Level(enum.Enum):
    LOW = 1
    HIGH = 2

    def weight(self):
        return self.value * 2


class Point(typing.NamedTuple):
    x: torch.Tensor
    y: torch.Tensor

    def norm(self):
        return (self.x * self.x + self.y * self.y).sqrt()


Pair = collections.namedtuple("Pair", "left right")


# 3 data classes, enums, named tuples
def records(x):
    for level in (Level.LOW, Level.HIGH):
        x = x * level.weight()
        time.sleep(0)  # B16 | pass
    config = Config(3, tags=["a"])
    point = Point(x, y=x + config.area)
    pair = Pair(point.norm(), os.getpid())  # B18 | pair = Pair(point.norm(), 1)
    left, right = pair
    if level is Level.HIGH and config.tags:
        left = left + left.max().item()  # B19 | left = left + 1
    return left * config.scale + pair._replace(right=2).right + right


class Base(abc.ABC):
    def __init__(self, x):
        print("base")  # B20 | pass
        self.x = x

    @abc.abstractmethod
    def run(self): ...

    def around(self):
        try:
            return self.run()
        finally:
            time.time_ns()  # B21 | pass


class Middle(Base):
    def run(self):
        os.getppid()  # B22 | pass
        return self.x + 1


class Leaf(Middle):
    slots = ()

    def __init__(self, x, k):
        super().__init__(x * k)
        self.k = k

    def run(self):
        y = super().run()
        uuid.uuid4()  # B23 | pass
        return y * self.k


# 4 inheritance, super(), abstract classes, a class defined inside
def inheritance(leaf, x):
    x = leaf.around() + Leaf(x, 2).k
    leaf.k = 3
    setattr(leaf, "name", "leaf")
    if hasattr(leaf, "name") and isinstance(leaf, Base):
        x = x + leaf.around() * os.cpu_count()  # B24 | x = x + leaf.around() * 2
    return x + getattr(leaf, "none", 5)


def subjects():
    x = torch.ones(4)
    return {
        "attributes": (attributes, (x,)),
        "operators": (operators, (x,)),
        "records": (records, (x,)),
        "inheritance": (inheritance, (Leaf(x, 3), x)),
    }

// What a simulated device needs below Python. A device guard that does nothing: torch's CPU builds
// have none for CUDA, and without one a fake CUDA tensor cannot be indexed, copied or moved; there is
// one device. And generators of random numbers on it.
#include <c10/core/GeneratorImpl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <atomic>
#include <utility>

namespace {

struct Guard final : c10::impl::DeviceGuardImplInterface {
  explicit Guard(c10::DeviceType given) : kind(given) {}
  c10::DeviceType type() const override { return kind; }
  c10::Device exchangeDevice(c10::Device) const override { return only(); }
  c10::Device getDevice() const override { return only(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device) const override { return stream(); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream(); }
  c10::Stream getNewStream(c10::Device, int) const override {
    return c10::Stream(c10::Stream::UNSAFE, only(), ++streams);
  }
  c10::Stream exchangeStream(c10::Stream) const override { return stream(); }
  void record(void**, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag)
      const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const c10::DeviceIndex) const noexcept override {}
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void synchronizeEvent(void*) const override {}
  void synchronizeDevice(const c10::DeviceIndex) const override {}

 private:
  c10::Device only() const { return {kind, 0}; }
  c10::Stream stream() const { return c10::Stream(c10::Stream::DEFAULT, only()); }

  const c10::DeviceType kind;
  mutable std::atomic<c10::StreamId> streams{0};
};

// A generator of the processor's that says it is on a device, where they have an offset.
struct Placed final : c10::GeneratorImpl {
  using Pointer = c10::intrusive_ptr<c10::GeneratorImpl>;

  Placed(Pointer generator, c10::Device device)
      : GeneratorImpl(device, generator->key_set()), inner(std::move(generator)) {}
  void set_current_seed(uint64_t seed) override { inner->set_current_seed(seed); }
  uint64_t current_seed() const override { return inner->current_seed(); }
  uint64_t seed() override { return inner->seed(); }
  void set_offset(uint64_t given) override { offset = given; }
  uint64_t get_offset() const override { return offset; }
  void set_state(const c10::TensorImpl& state) override { inner->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return inner->get_state(); }
  Placed* clone_impl() const override { return new Placed(inner->clone(), device()); }

  Pointer inner;
  uint64_t offset = 0;
};

using New = void* (*)(void* type, void* arguments, void* keywords);
void* generator_type = nullptr;
void* make_generator = nullptr;
New original = nullptr;

}  // namespace

extern "C" void* PyObject_Call(void* callable, void* arguments, void* keywords);  // Python's own

namespace {

void* made(void* type, void* arguments, void* keywords) {
  return type == generator_type ? PyObject_Call(make_generator, arguments, keywords)
                                : original(type, arguments, keywords);
}

}  // namespace

// The guard has to outlive every tensor, so it is never freed.
extern "C" void graphaudit_register_guard(int type) {
  const auto kind = static_cast<c10::DeviceType>(type);
  c10::impl::registerDeviceGuard(kind, new Guard(kind));
}

extern "C" void graphaudit_place_generator(Placed::Pointer* generator, int type, int index) {
  const c10::Device device(
      static_cast<c10::DeviceType>(type), static_cast<c10::DeviceIndex>(index));
  *generator = c10::make_intrusive<Placed>(*generator, device);
}

// Lets a Python callable make the instances of the type; it has to outlive the process' use of it.
extern "C" void graphaudit_make_generators(void* type, New* slot, void* callable) {
  generator_type = type;
  make_generator = callable;
  original = *slot;
  *slot = made;
}

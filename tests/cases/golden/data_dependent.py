"""Values of tensors that Python wants to know."""

import torch


def branch(x):
    if (
        x.shape[0] > 2
        and x.sum() > 0  # break: GA025 resumes
    ):
        return x + 1
    return x - 1


def loop(x):
    while x.sum() < 10:  # break: GA023 resumes [python<3.12] | GA023 frame_dropped [python>=3.12]
        x = x * 2
    return x


def scalar(x):
    return x * x.sum().item()  # note: GA021 resumes


def guard(x):
    n = x.sum().item()  # note: GA021 resumes
    if n > 3:  # break: GA025 resumes
        return x + 1
    return x


def chain(x):
    return (
        x.round()
        .long()
        .tolist()  # break: GA020 resumes
    )


def audit_branch():
    return branch, (torch.ones(3),)


def audit_loop():
    return loop, (torch.ones(3),)


def audit_scalar_with_a_print():
    def scalar_and_print(x):
        print("a fullgraph entry: the scalar alone would pass")  # break: GA002 resumes
        return scalar(x)

    return scalar_and_print, (torch.ones(3),)


def audit_scalar():
    return scalar, (torch.ones(3),)


def audit_guard():
    return guard, (torch.ones(3),)


def audit_chain():
    return chain, (torch.ones(3),)


audit_chain.gate = "default"

// A device guard for CUDA that does nothing: torch's CPU builds have none, and without one a fake
// CUDA tensor cannot be indexed, copied or moved. There is one device, and its default stream.
#include <c10/core/impl/DeviceGuardImplInterface.h>

namespace {

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  c10::Device exchangeDevice(c10::Device) const override { return only(); }
  c10::Device getDevice() const override { return only(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  c10::Stream getStream(c10::Device) const override { return stream(); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream(); }
  c10::Stream getNewStream(c10::Device, int) const override { return stream(); }
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
  static c10::Device only() { return {c10::DeviceType::CUDA, 0}; }
  static c10::Stream stream() { return c10::Stream(c10::Stream::DEFAULT, only()); }
};

}  // namespace

// The guard has to outlive every tensor, so it is never freed.
extern "C" void graphaudit_register_guard() {
  c10::impl::registerDeviceGuard(c10::DeviceType::CUDA, new Guard);
}

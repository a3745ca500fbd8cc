// Preloaded into a process (--import): shifts its wall clock by TEST_CLOCK_SHIFT_MS milliseconds.
const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    // Without arguments: the shifted current time. With arguments: the given time.
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;

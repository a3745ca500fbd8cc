// Loaded before a process (--import): its wall clock differs from the machine's by TEST_CLOCK_SHIFT_MS milliseconds.
const shiftMs = Number(process.env['TEST_CLOCK_SHIFT_MS'] ?? 0);
const RealDate = Date;

class ShiftedDate extends RealDate {
  constructor(...given: ConstructorParameters<DateConstructor> | []) {
    // What is not given is now; anything else is that time.
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...(given as [number]));
  }
  static override now(): number {
    return RealDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;

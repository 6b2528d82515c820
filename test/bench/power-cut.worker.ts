/** The store's worker, whose writes to the hot log pass through write-recorder.c; see power-cuts.ts. */
import { dlopen, FFIType, ptr } from "bun:ffi";
import { logDisk } from "../../src/modules/telemetry/store/hot/log-disk.ts";
import "../../src/modules/telemetry/store/store.worker.ts";

const { symbols } = dlopen(process.env.LD_PRELOAD ?? "", {
  power_cut_write: { args: [FFIType.i32, FFIType.ptr, FFIType.i32, FFIType.f64], returns: FFIType.i32 },
});

logDisk.write = (descriptor, bytes, start, length, position) => {
  const written = symbols.power_cut_write(descriptor, ptr(bytes, start), length, position);
  if (written < 0) throw new Error("a recorded write failed");
  return written;
};

/**
 * A serial port of this machine, as Linux has it: settings by ioctl (ioctl_tty(2)), raw bytes in 8 bits. Reads do not block; while a
 * response is awaited the port is polled.
 */

import { FFIType, ptr } from "bun:ffi";
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { DomainError, unavailable, unavailableDueTo } from "../../lib/core/domain-error.ts";
import type { SerialSettings } from "../../lib/modbus/modbus-lists.ts";
import { openLibc } from "../process/libc.ts";
import type { Clock } from "../time/clock.ts";

/** Paths of serial ports on Linux, without virtual consoles (`/dev/tty1`). */
const PORT_PATH = /^\/dev\/(tty[A-Za-z]+[0-9]+|serial\/by-(id|path)\/[A-Za-z0-9._:+-]+)$/;
export const isPortPath = (path: string): boolean => PORT_PATH.test(path);

/** Requests and flags of asm-generic/ioctls.h and asm-generic/termbits.h, which x64 and arm64 share. */
const TCGETS = 0x5401;
const TCSETS = 0x5402;
const TCFLSH = 0x540b;
const TCIFLUSH = 0;
const TCIOFLUSH = 2;
const CBAUD = 0o10017;
const baudFlags: Readonly<Record<SerialSettings["baudRate"], number>> = {
  1200: 0o11,
  2400: 0o13,
  4800: 0o14,
  9600: 0o15,
  19200: 0o16,
  38400: 0o17,
  57600: 0o10001,
  115200: 0o10002,
};
const CS8 = 0o60;
const CSTOPB = 0o100;
const CREAD = 0o200;
const CLOCAL = 0o4000;
const parityFlags = { NONE: 0, EVEN: 0o400, ODD: 0o1400 } as const;
const IGNBRK = 1;
/** Bytes of the struct termios of the kernel: four flags of 32 bits, the line discipline, then 19 control characters. */
const TERMIOS_BYTES = 36;
const [IFLAG_AT, OFLAG_AT, CFLAG_AT, LFLAG_AT, CC_AT] = [0, 4, 8, 12, 17];
const VTIME = 5;
const VMIN = 6;

const POLL_MS = 4;
const READ_BYTES = 512;
/** Min. silence between two frames (MODBUS over Serial Line V1.02, 2.5.1.1): 3.5 characters, or this time above 19,200 baud. */
const GAP_MS_MIN = 1.75;
const GAP_CHARACTERS = 3.5;
const CHARACTER_BITS = 11;

/** Open ports by device number: two connections to one port would read responses of each other. */
const openPorts = new Set<number>();

let libc: ReturnType<typeof openIoctl> | undefined;
const openIoctl = () =>
  openLibc({ ioctl: { args: [FFIType.i32, FFIType.u64, FFIType.ptr], returns: FFIType.i32 } });

const problems: Readonly<Record<string, "serial.missing" | "serial.denied" | "serial.busy">> = {
  ENOENT: "serial.missing",
  ENXIO: "serial.missing",
  ENODEV: "serial.missing",
  EACCES: "serial.denied",
  EPERM: "serial.denied",
  EBUSY: "serial.busy",
};
const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : "";

/** Returns a number as the argument of an ioctl that takes no pointer. */
const toArgument = (value: number) => value as ReturnType<typeof ptr>;

function configure(fd: number, { baudRate, parity, stopBits }: SerialSettings, path: string): void {
  libc ??= process.platform === "linux" ? openIoctl() : undefined;
  if (libc === undefined) throw unavailable("serial.unsupported");
  const bytes = new ArrayBuffer(TERMIOS_BYTES);
  const view = new DataView(bytes);
  const address = ptr(new Uint8Array(bytes));
  if (libc.ioctl(fd, TCGETS, address) !== 0) throw unavailable("serial.no_port", { path });
  const speed = baudFlags[baudRate];
  const flags = speed | CS8 | CREAD | CLOCAL | parityFlags[parity] | (stopBits === 2 ? CSTOPB : 0);
  view.setUint32(IFLAG_AT, IGNBRK, true);
  view.setUint32(OFLAG_AT, 0, true);
  view.setUint32(CFLAG_AT, flags, true);
  view.setUint32(LFLAG_AT, 0, true);
  // One byte at least, so that a port without bytes (EAGAIN) differs from one that is gone (0 bytes).
  view.setUint8(CC_AT + VMIN, 1);
  view.setUint8(CC_AT + VTIME, 0);
  const isSet = libc.ioctl(fd, TCSETS, address) === 0 && libc.ioctl(fd, TCGETS, address) === 0;
  if (!isSet || (view.getUint32(CFLAG_AT, true) & CBAUD) !== speed)
    throw unavailable("serial.settings_refused", { path });
  libc.ioctl(fd, TCFLSH, toArgument(TCIOFLUSH));
}

/** Opens a port that no other connection of the gateway uses. @throws DomainError `unavailable` */
function openDescriptor(path: string, settings: SerialSettings): { fd: number; port: number } {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isCharacterDevice()) throw unavailable("serial.no_port", { path });
    if (openPorts.has(stats.rdev)) throw unavailable("serial.busy", { path });
    configure(fd, settings, path);
    openPorts.add(stats.rdev);
    return { fd, port: stats.rdev };
  } catch (error) {
    if (fd !== undefined) closeSync(fd);
    const code = problems[codeOf(error)];
    throw code === undefined || error instanceof DomainError ? error : unavailable(code, { path });
  }
}

interface SerialPortOptions {
  readonly path: string;
  readonly settings: SerialSettings;
  readonly clock: Clock;
  readonly onData: (chunk: Uint8Array) => void;
  /** Called when the port has ended unexpectedly. */
  readonly onEnd: (error: Error) => void;
}

/** Open serial port. It reads from the first write until `rest`. */
export class SerialPort {
  readonly #options: SerialPortOptions;
  readonly #descriptor: ReturnType<typeof openDescriptor>;
  readonly #gapMs: number;
  readonly #buffer = Buffer.alloc(READ_BYTES);
  #isOpen = true;
  /** Monotonic time of the newest byte. */
  #busyAt = Number.NEGATIVE_INFINITY;
  #cancel: () => void = () => undefined;

  /** @throws DomainError `unavailable` for a port that cannot be opened */
  constructor(options: SerialPortOptions) {
    const { baudRate } = options.settings;
    this.#options = options;
    this.#gapMs = Math.max(GAP_MS_MIN, (GAP_CHARACTERS * CHARACTER_BITS * 1_000) / baudRate);
    this.#descriptor = openDescriptor(options.path, options.settings);
  }

  /** Sends a frame after the silence that ends the previous one, and reads the response. Drops earlier bytes. */
  write(bytes: Uint8Array): void {
    this.#cancel();
    const waitMs = this.#busyAt + this.#gapMs - this.#options.clock.monotonic();
    if (waitMs > 0) this.#cancel = this.#options.clock.schedule(Math.ceil(waitMs), () => this.#send(bytes));
    else this.#send(bytes);
  }

  /** Stops reading, because no response is pending. */
  rest(): void {
    this.#cancel();
    this.#busyAt = this.#options.clock.monotonic();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#cancel();
    const { fd, port } = this.#descriptor;
    libc?.ioctl(fd, TCFLSH, toArgument(TCIOFLUSH)); // discards unsent bytes, which would delay closing
    closeSync(fd);
    openPorts.delete(port);
  }

  #send(bytes: Uint8Array): void {
    const { fd } = this.#descriptor;
    libc?.ioctl(fd, TCFLSH, toArgument(TCIFLUSH));
    try {
      if (writeSync(fd, bytes) !== bytes.length) throw new Error("the port takes no more bytes");
    } catch (error) {
      this.#end(error);
      return;
    }
    this.#poll();
  }

  #poll(): void {
    this.#cancel = this.#options.clock.schedule(POLL_MS, () => {
      const chunk = this.#read();
      if (chunk === undefined) return;
      this.#poll();
      if (chunk.length > 0) this.#options.onData(chunk);
    });
  }

  /** Returns received bytes; undefined if the port is gone. */
  #read(): Uint8Array | undefined {
    try {
      const count = readSync(this.#descriptor.fd, this.#buffer);
      if (count > 0) return Uint8Array.from(this.#buffer.subarray(0, count));
      this.#end(undefined);
    } catch (error) {
      if (codeOf(error) === "EAGAIN") return new Uint8Array();
      this.#end(error);
    }
    return undefined;
  }

  #end(cause: unknown): void {
    this.close();
    this.#options.onEnd(unavailableDueTo(cause, "serial.lost", { path: this.#options.path }));
  }
}

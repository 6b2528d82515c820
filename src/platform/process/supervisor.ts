import { FFIType, ptr } from "bun:ffi";
import type { Clock } from "../time/clock.ts";
import { openLibc } from "./libc.ts";

const AF_UNIX = 1;
const SOCK_DGRAM_CLOEXEC = 0x8_0002;
const MSG_NOSIGNAL = 0x4000;
const US_PER_MS = 1_000;
/** Keep-alive pings per timeout of the supervisor. */
const KEEP_ALIVES_PER_TIMEOUT = 4;

/** Returns the sockaddr_un of a path. A leading "@" means an abstract address, as in `sd_notify(3)`. */
function socketAddress(path: string): Uint8Array<ArrayBuffer> {
  const name = new TextEncoder().encode(path.replace(/^@/, "\0"));
  const address = new Uint8Array(new ArrayBuffer(2 + name.length));
  address[0] = AF_UNIX;
  address.set(name, 2);
  return address;
}

/** Returns a function that sends a state to the socket; undefined without a supervisor. */
function openSocket(path: string | undefined): ((state: string) => void) | undefined {
  if (path === undefined || !/^[/@]./.test(path)) return undefined;
  const libc = openLibc({
    socket: { args: [FFIType.i32, FFIType.i32, FFIType.i32], returns: FFIType.i32 },
    sendto: {
      args: [FFIType.i32, FFIType.ptr, FFIType.u64, FFIType.i32, FFIType.ptr, FFIType.u32],
      returns: FFIType.i64_fast,
    },
  });
  if (libc === undefined) return undefined;
  const descriptor = libc.socket(AF_UNIX, SOCK_DGRAM_CLOEXEC, 0);
  const address = socketAddress(path);
  return (state) => {
    const bytes = Buffer.from(state);
    libc.sendto(descriptor, ptr(bytes), bytes.length, MSG_NOSIGNAL, ptr(address), address.length);
  };
}

/** Returns the timeout of the watchdog in ms; 0 if the supervisor expects no keep-alive pings from this process. */
function watchdogMs({
  WATCHDOG_USEC: time,
  WATCHDOG_PID: pid,
}: Readonly<Record<string, string | undefined>>) {
  const ms = Number(time) / US_PER_MS;
  return Number.isFinite(ms) && (pid === undefined || Number(pid) === process.pid) ? ms : 0;
}

/**
 * Informs systemd, or another supervisor with the `sd_notify` protocol, that the gateway is ready, that its event loop runs, and that it stops. Does
 * nothing without a supervisor.
 */
export class Supervisor {
  readonly #send: ((state: string) => void) | undefined;
  readonly #keepAliveIntervalMs: number;
  readonly #clock: Clock;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, env: Readonly<Record<string, string | undefined>>) {
    this.#clock = clock;
    this.#send = openSocket(env.NOTIFY_SOCKET);
    this.#keepAliveIntervalMs = watchdogMs(env) / KEEP_ALIVES_PER_TIMEOUT;
  }

  ready(): void {
    this.#send?.("READY=1");
    if (this.#send !== undefined && this.#keepAliveIntervalMs > 0) this.#keepAlive();
  }

  /** Ends the keep-alive pings of this program, before another one continues in its process. */
  leave(): void {
    this.#cancel();
    this.#send?.("WATCHDOG=1");
  }

  stopping(): void {
    this.#cancel();
    this.#send?.("STOPPING=1");
  }

  #keepAlive(): void {
    this.#cancel();
    this.#send?.("WATCHDOG=1");
    this.#cancel = this.#clock.schedule(this.#keepAliveIntervalMs, () => this.#keepAlive());
  }
}

// What the gateway tells systemd. A Python program is the supervisor, as Bun has no UNIX datagram sockets.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Supervisor } from "../../../src/platform/process/supervisor.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const PYTHON = "/usr/bin/python3";
const hasPython = existsSync(PYTHON);
if (!hasPython && process.env.CI) throw new Error("python3 must be installed in CI");
if (!hasPython) console.warn("not run: the messages to a supervisor, without python3");

/** Prints each datagram as a line until one says that the gateway stops. */
const RECEIVER = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1].replace("@", "\\0", 1) if sys.argv[1].startswith("@") else sys.argv[1])
print("bound", flush=True)
while True:
    state = s.recv(256).decode()
    print(state, flush=True)
    if state == "STOPPING=1": break
`;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "lineside-supervisor-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function receive(address: string, act: (clock: FakeClock) => void): Promise<string[]> {
  const child = Bun.spawn([PYTHON, "-c", RECEIVER, address], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  const reading = (async () => {
    for await (const chunk of child.stdout) output += new TextDecoder().decode(chunk);
  })();
  await until(() => output.startsWith("bound\n"));
  act(new FakeClock(0));
  await reading;
  return output.trim().split("\n").slice(1);
}

for (const [kind, addressIn] of [
  ["a path", (folder: string) => join(folder, "notify")],
  ["an abstract address", (folder: string) => `@${folder}`],
] as const)
  test.if(hasPython)(`says that it is ready, is alive and stops, to ${kind}`, async () => {
    const address = addressIn(directory);
    const states = await receive(address, (clock) => {
      const supervisor = new Supervisor(clock, { NOTIFY_SOCKET: address, WATCHDOG_USEC: "4000000" });
      supervisor.ready();
      clock.advance(1_000);
      supervisor.stopping();
      clock.advance(10_000);
    });
    expect(states).toEqual(["READY=1", "WATCHDOG=1", "WATCHDOG=1", "STOPPING=1"]);
  });

test.if(hasPython)(
  "sends no keep-alive ping when the watchdog waits for another process, or there is none",
  async () => {
    for (const [index, watchdog] of [{ WATCHDOG_USEC: "4000000", WATCHDOG_PID: "1" }, {}].entries()) {
      const address = join(directory, `notify-${index}`);
      const states = await receive(address, (clock) => {
        const supervisor = new Supervisor(clock, { NOTIFY_SOCKET: address, ...watchdog });
        supervisor.ready();
        clock.advance(10_000);
        supervisor.stopping();
      });
      expect(states).toEqual(["READY=1", "STOPPING=1"]);
    }
  },
);

test("does nothing without a supervisor", () => {
  const clock = new FakeClock(0);
  const supervisor = new Supervisor(clock, {});
  supervisor.ready();
  clock.advance(10_000);
  supervisor.stopping();
});

import { expect, test } from "bun:test";
import { timedOut } from "../../../src/lib/core/domain-error.ts";
import type { DeviceId } from "../../../src/lib/core/ids.ts";
import { CommandWays } from "../../../src/modules/commands/command-ways.ts";
import type {
  Command,
  CommandFailure,
  CommandResponse,
  CommandTransport,
} from "../../../src/modules/commands/commands.types.ts";
import { FieldCommands } from "../../../src/modules/field/field-commands.ts";
import { s7Protocol } from "../../../src/modules/s7/s7.protocol.ts";
import type { S7Unit } from "../../../src/modules/s7/s7.types.ts";
import { S7Refusal } from "../../../src/platform/s7/s7-connection.ts";

const command = { deviceId: "device" as DeviceId } as Command;

/** A way that takes the command or not, and has its key, has not, or does not know the device. */
interface Way {
  readonly takes: boolean;
  readonly has?: boolean | undefined;
}

/** Returns the ways that got the command, and whether one took it. */
function send(modbus: Way, s7: Way) {
  const asked: string[] = [];
  const ways = new CommandWays({ find: () => undefined });
  const transportOf = (name: string, { takes, has }: Way): CommandTransport => ({
    send: () => {
      asked.push(name);
      return takes;
    },
    has: () => has,
    keepsFor: () => false,
  });
  ways.add("modbus", transportOf("modbus", modbus));
  ways.add("s7", transportOf("s7", s7));
  return [ways.send(command), ...asked];
}

test("a command goes to the field protocol that has its key", () => {
  expect(send({ takes: true, has: false }, { takes: true, has: true })).toEqual([true, "s7"]);
  expect(send({ takes: true, has: true }, { takes: true, has: false })).toEqual([true, "modbus"]);
});

test("a command waits for the protocol that has its key rather than be refused by another", () => {
  expect(send({ takes: false, has: true }, { takes: true, has: false })).toEqual([false, "modbus"]);
});

test("a key that no protocol has is refused by the first that is connected", () => {
  expect(send({ takes: false, has: false }, { takes: true, has: false })).toEqual([true, "modbus", "s7"]);
  expect(send({ takes: false }, { takes: true, has: false })).toEqual([true, "modbus", "s7"]);
});

test("a field protocol knows the keys of the device's tags and of the elements of its arrays", () => {
  const unit = {
    tags: [
      { key: "a", address: "MB0" },
      { key: "b", address: "DB1,INT0.2" },
    ],
  } as unknown as S7Unit;
  const commands = new FieldCommands({
    protocol: s7Protocol,
    unitOfDevice: (deviceId) => (deviceId === "device" ? unit : undefined),
    runnerOf: () => undefined,
    answered: () => true,
  });
  const has = (key: string, deviceId = "device") =>
    commands.has({ deviceId, method: "setValue", params: { key, value: 1 } } as unknown as Command);
  expect(["a", "b_1", "b", "c"].map((key) => has(key))).toEqual([true, true, false, false]);
  expect(has("a", "other")).toBeUndefined();
});

test.each([
  ["does not answer", timedOut("s7.no_response", { ms: 2_000 }), "field.write_unconfirmed"],
  [
    "closes the connection",
    Object.assign(new Error("closed"), { code: "ECONNRESET" }),
    "field.write_unconfirmed",
  ],
  ["refuses", new S7Refusal(3), "s7_refusal.access"],
])(
  "of a command that the device %s, people hear whether it may have been executed",
  async (_, error, code) => {
    const unit = { connectionId: "c", tags: [{ key: "a", address: "MB0", writable: true }] };
    const { promise, resolve } = Promise.withResolvers<CommandResponse>();
    const commands = new FieldCommands({
      protocol: s7Protocol,
      unitOfDevice: () => unit as unknown as S7Unit,
      runnerOf: () => ({ state: { status: "connected" }, perform: () => Promise.reject(error) }) as never,
      answered: (_device, _id, response) => {
        resolve(response);
        return true;
      },
    });
    commands.send({ method: "a", params: 1 } as unknown as Command);
    expect(((await promise) as CommandFailure).reason.code).toBe(code as never);
  },
);

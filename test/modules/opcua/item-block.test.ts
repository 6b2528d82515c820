// What a block of variables makes of the changes that a server has reported since the last read.
import { expect, test } from "bun:test";
import { planItems } from "../../../src/modules/opcua/item-block.ts";
import type { OpcUaItem } from "../../../src/modules/opcua/opcua.types.ts";
import type { OpcUaKind } from "../../../src/modules/opcua/opcua-kind.ts";
import type { OpcUaChange, OpcUaRead } from "../../../src/platform/opcua/opcua.calls.ts";

const NODE_UNKNOWN = 0x8034_0000;
const good = (value: number, sampledAt: number): OpcUaRead => ({ status: 0, value, sampledAt });

/** A block of one variable that is reported; each further read gives the next of the changes. */
async function reported(item: Partial<OpcUaItem>, changes: OpcUaChange[]) {
  const first = [good(10, 1)];
  const line = {
    isOpen: true,
    async request(name: string) {
      if (name === "read") return first;
      return name === "watch"
        ? { list: 1, reads: first, sampledMs: [100] }
        : { changes: changes.splice(0, 1), hasMore: false };
    },
  } as unknown as OpcUaKind["line"];
  const unit = { intervalMs: 100, deadband: null } as OpcUaKind["unit"];
  const connection = { reading: "SUBSCRIPTION", storesUncertain: false } as OpcUaKind["connection"];
  const entry = { key: "pressure", address: "ns=1;i=1", ...item } as OpcUaItem;
  const [block] = planItems(unit, [entry], connection);
  if (block === undefined) throw new Error("no block");
  await block.read(line);
  await block.read(line);
  return { entry, read: () => block.read(line) };
}

test("values that came before a variable was refused are kept", async () => {
  const reads = [good(11, 2), good(12, 3), { status: NODE_UNKNOWN } as OpcUaRead];
  const { entry, read } = await reported({}, [{ index: 0, reads, left: 0 }]);
  const { values, refused } = await read();
  expect(values).toEqual([
    [entry, [11], 2],
    [entry, [12], 3],
  ]);
  expect(refused).toEqual(new Map([[entry, NODE_UNKNOWN]]));
});

test("a dead band leaves out small changes, but not the number of values that were left out", async () => {
  const { entry, read } = await reported({ deadband: 1 }, [
    { index: 0, reads: [good(10.5, 2), good(12, 3), good(12.4, 4)], left: 0 },
    { index: 0, reads: [good(12.5, 5), good(12.6, 6)], left: 40 },
  ]);
  const first = await read();
  expect(first.values).toEqual([[entry, [12], 3]]);
  expect(first.notes?.size).toBe(0);
  const second = await read();
  expect(second.values).toEqual([[entry, [12.6], 6]]);
  expect(second.notes?.get(entry)).toEqual({ code: "opcua_note.too_many", params: { count: 40 } });
});

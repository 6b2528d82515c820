import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HotLogFile } from "../../../src/modules/telemetry/store/hot/hot-log-file.ts";
import { HotLogPosition, readPosition } from "../../../src/modules/telemetry/store/hot/hot-log-position.ts";
import {
  ensureUpdateFolder,
  writeHeartbeat,
  writeReason,
} from "../../../src/modules/updates/update-state.ts";
import { loggedPages } from "../../../src/platform/database/logged-pages.ts";
import { createWalPosition, forgetLog } from "../../../src/platform/database/wal-position.ts";
import { openOwnFile } from "../../../src/platform/files/data-file.ts";
import { writeDurably } from "../../../src/platform/files/durable-file.ts";
import { writeGatewayAddress } from "../../../src/platform/network/gateway-address.ts";

let folder: string;
let other: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lineside-test-"));
  other = join(folder, "other");
  writeFileSync(other, "other");
});
afterEach(() => {
  expect(readFileSync(other, "utf8")).toBe("other");
  rmSync(folder, { recursive: true, force: true });
});

const plants: [string, (path: string) => void][] = [
  ["link", (path) => symlinkSync(other, path)],
  ["pipe", (path) => void Bun.spawnSync(["mkfifo", path])],
];
const uses: [string, (database: string) => unknown][] = [
  ["-position", (database) => new HotLogPosition(database)],
  ["-position", readPosition],
  ["-hot1", (database) => new HotLogFile(`${database}-hot1`)],
  ["-synced", forgetLog],
  ["-wal", (database) => loggedPages(`${database}-wal`)],
  ["-wal", (database) => openOwnFile(`${database}-wal`, "append")],
];
for (const [kind, plant] of plants)
  test.each(uses)(`a ${kind} that is planted as %s is refused by its name`, (suffix, use) => {
    const database = join(folder, "telemetry.db");
    plant(database + suffix);
    expect(() => use(database)).toThrow(`${database}${suffix} is `);
  });

const writes: [string, () => void][] = [
  ["durable.new", () => writeDurably(join(folder, "durable"), Buffer.from("mine"), { mode: 0o600 })],
  ["gateway.json.new", () => writeGatewayAddress(folder, { url: "http://localhost" })],
  [`update/reason.json.${process.pid}.new`, () => writeReason(folder, { code: "update.failed", params: {} })],
  ["update/heartbeat", () => writeHeartbeat(folder)],
  ["telemetry.db-synced", () => createWalPosition(join(folder, "telemetry.db"))],
];
for (const [kind, plant] of plants)
  test.each(writes)(`a ${kind} that is planted as %s is not written to`, (name, write) => {
    ensureUpdateFolder(folder);
    plant(join(folder, name));
    write();
  });

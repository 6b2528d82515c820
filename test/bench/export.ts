import { createDevices, remove, residentMb, startGateway, temporaryDirectory } from "./processes.ts";
import { fixed, type Row, thousands } from "./report.ts";

const ROWS = 3_400_000;
const ROWS_PER_PART = 20_000;
const KEYS = 3;
const FIRST_TS = 1_700_000_000_000;
const MEMORY_GROWTH_MAX_MB = 64;

function part(first: number): string {
  const lines = Array.from({ length: ROWS_PER_PART }, (_, offset) => {
    const index = first + offset;
    return `${FIRST_TS + index * 1000},${20 + (index % 97) / 10},${40 + (index % 53) / 10},${1000 + (index % 211)}`;
  });
  return `ts,temperature,humidity,power\n${lines.join("\n")}\n`;
}

/** Sizes of machines, because the runtime limits its heap by the memory of the machine. */
const machines = [
  { name: "", environment: {} },
  { name: ", heap sized as on a machine with 1 GB", environment: { BUN_JSC_forceRAMSize: "1073741824" } },
];

/** Ten million points in as history and out again as NDJSON: how fast, and in how much memory. */
export async function benchExport(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const machine of machines) rows.push(...(await measureExport(machine)));
  return rows;
}

async function measureExport({ name, environment }: (typeof machines)[number]): Promise<Row[]> {
  const directory = temporaryDirectory();
  const gateway = await startGateway(directory, [], environment);
  try {
    const api = await gateway.signIn();
    const [device] = await createDevices(api, 1);
    const path = `/api/devices/${device?.deviceId}/telemetry`;
    const importedAt = performance.now();
    for (let first = 0; first < ROWS; first += ROWS_PER_PART)
      await api.postText(`${path}/import`, "text/csv", part(first));
    const importSeconds = (performance.now() - importedAt) / 1000;
    await Bun.sleep(3_000);
    const before = residentMb(gateway.pid);
    let most = before;
    let bytes = 0;
    let lines = 0;
    const startedAt = performance.now();
    for await (const chunk of await api.stream(`${path}/export?format=ndjson`)) {
      bytes += chunk.length;
      for (const byte of chunk) if (byte === 10) lines++;
      most = Math.max(most, residentMb(gateway.pid));
    }
    const seconds = (performance.now() - startedAt) / 1000;
    if (lines !== ROWS) throw new Error(`${lines} of ${ROWS} rows came out`);
    const points = ROWS * KEYS;
    return [
      {
        section: "Queries",
        measure: `export of ${thousands(points)} points as NDJSON (${fixed(bytes / 1e6, 0)} MB)${name}`,
        value: `${thousands(points / seconds)} points/s, memory + ${fixed(most - before, 0)} MB (from ${fixed(before, 0)})`,
        goal: `memory + ≤ ${MEMORY_GROWTH_MAX_MB} MB`,
        met: most - before <= MEMORY_GROWTH_MAX_MB,
      },
      {
        section: "Queries",
        measure: `import of the same as CSV, one client${name}`,
        value: `${thousands(points / importSeconds)} points/s`,
        goal: "–",
        met: undefined,
      },
    ];
  } finally {
    await gateway.kill("SIGTERM");
    remove(directory);
  }
}

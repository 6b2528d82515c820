import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parquetReadObjects } from "hyparquet";
import { signS3 } from "../../src/platform/network/s3-bucket.ts";
import { createS3Server } from "../support/s3-server.ts";
import { remove, temporaryDirectory } from "./processes.ts";
import { Content } from "./uplink-content.ts";
import type { UplinkPeer } from "./uplink-peer.types.ts";

interface ParquetRow {
  readonly device: string;
  readonly key: string;
  readonly ts: Date;
  readonly number?: number | null;
  readonly boolean?: boolean | null;
  readonly text?: string | null;
}

async function readParquet(content: Content, bytes: Uint8Array): Promise<void> {
  const rows = (await parquetReadObjects({
    file: Uint8Array.from(bytes).buffer,
    compressors: { ZSTD: (input) => Bun.zstdDecompressSync(Uint8Array.from(input)) },
  })) as unknown as ParquetRow[]; // the columns that parquet.target.ts describes
  for (const { device, key, ts, number, boolean, text } of rows)
    content.set(device, ts.getTime(), { [key]: number ?? boolean ?? text });
}

const parquet = { takesDeletions: false, takesChanges: false };

export async function createFolderPeer(): Promise<UplinkPeer> {
  const directory = temporaryDirectory();
  return {
    target: { type: "PARQUET", place: { kind: "FOLDER", path: directory } },
    ...parquet,
    kill: async () => undefined,
    start: async () => undefined,
    async read() {
      const content = new Content();
      for (const name of readdirSync(directory, { recursive: true, encoding: "utf8" }))
        if (name.startsWith("telemetry/") && name.endsWith(".parquet"))
          await readParquet(content, readFileSync(join(directory, name)));
      return content;
    },
    async stop() {
      remove(directory);
    },
  };
}

export async function createS3Peer(): Promise<UplinkPeer> {
  const server = await createS3Server("kills");
  const place = {
    kind: "S3" as const,
    endpoint: `http://127.0.0.1:${server.port}`,
    region: "us-east-1",
    bucket: "kills",
    prefix: "",
    accessKeyId: "S3RVER",
    secretAccessKey: "S3RVER",
  };
  const get = async (path: string, query: Record<string, string> = {}) => {
    const host = `127.0.0.1:${server.port}`;
    const request = { method: "GET", host, path, query, body: new Uint8Array() };
    const search = new URLSearchParams(query).toString();
    return fetch(`http://${host}${path}${search === "" ? "" : `?${search}`}`, {
      headers: signS3(request, place, Date.now()),
    });
  };
  return {
    target: { type: "PARQUET", place },
    ...parquet,
    kill: () => server.kill(),
    start: () => server.start(),
    async read() {
      const content = new Content();
      const xml = await (await get("/kills", { "list-type": "2", prefix: "telemetry/" })).text();
      for (const [, name = ""] of xml.matchAll(/<Key>([^<]*)<\/Key>/g)) {
        const path = name
          .split("/")
          .map((part) => encodeURIComponent(part))
          .join("/");
        await readParquet(content, await (await get(`/kills/${path}`)).bytes());
      }
      return content;
    },
    stop: () => server.stop(),
  };
}

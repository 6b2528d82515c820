import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { unpackTar } from "modern-tar";
import { readImageConfig, writeContainerImage } from "../../../src/tools/release/container-image.ts";

/** Container images of a release, without an engine for containers. */

const dockerfile = readFileSync(join(import.meta.dir, "..", "..", "..", "Dockerfile"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "lineside-image-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const image = {
  version: "0.2.0",
  target: "linux-arm64",
  commit: "0123456",
  executable: Buffer.from("the program"),
  system: [{ path: "/lib/ld-linux-aarch64.so.1", content: "the loader", mode: 0o755 }],
  dockerfile,
  madeAt: new Date("2026-01-02T03:04:05Z"),
};

const unpack = async (content: Uint8Array) =>
  new Map((await unpackTar(content)).map(({ header, data }) => [header.name, { header, data }]));

async function readImage() {
  const name = await writeContainerImage(folder, image);
  const files = await unpack(readFileSync(join(folder, name)));
  const text = (path: string) => Buffer.from(files.get(path)?.data ?? "").toString();
  const json = (path: string) => JSON.parse(text(path));
  const blob = (digest: string) => files.get(`blobs/${digest.replace(":", "/")}`)?.data ?? new Uint8Array();
  return { name, files, json, blob };
}

describe("a container image", () => {
  test("runs the program as the Dockerfile says", () => {
    expect(readImageConfig(dockerfile)).toEqual({
      User: "10001:10001",
      ExposedPorts: { "8080/tcp": {}, "8443/tcp": {}, "1883/tcp": {}, "8883/tcp": {} },
      Env: ["PATH=/usr/local/bin", "LINESIDE_DATA=/data"],
      Entrypoint: ["lineside"],
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      Healthcheck: {
        Test: ["CMD", "lineside", "healthcheck"],
        Interval: 30e9,
        Timeout: 5e9,
        StartPeriod: 60e9,
      },
    });
  });
  test.each(["USER", "HEALTHCHECK", "EXPOSE"])("is refused without %s in the Dockerfile", (name) => {
    const without = dockerfile.replace(new RegExp(`^${name} .*$`, "m"), "");
    expect(() => readImageConfig(without)).toThrow(`The Dockerfile has no ${name}.`);
  });
  test("names each part by its checksum and size, for OCI and for older versions of Docker", async () => {
    const { name, files, json, blob } = await readImage();
    expect(name).toBe("lineside-0.2.0-linux-arm64.oci.tar");
    expect(json("oci-layout")).toEqual({ imageLayoutVersion: "1.0.0" });
    for (const [path, { data }] of files) {
      const [, digest] = /^blobs\/sha256\/(.+)$/.exec(path) ?? [];
      if (digest !== undefined)
        expect(
          createHash("sha256")
            .update(data ?? "")
            .digest("hex"),
        ).toBe(digest);
    }
    const [entry] = json("index.json").manifests;
    expect(entry.platform).toEqual({ architecture: "arm64", os: "linux" });
    const manifest = JSON.parse(Buffer.from(blob(entry.digest)).toString());
    for (const part of [entry, manifest.config, ...manifest.layers])
      expect(blob(part.digest)).toHaveLength(part.size);
    const path = (digest: string) => `blobs/${digest.replace(":", "/")}`;
    expect(json("manifest.json")).toEqual([
      {
        Config: path(manifest.config.digest),
        RepoTags: ["lineside:0.2.0"],
        Layers: manifest.layers.map(({ digest }: { digest: string }) => path(digest)),
      },
    ]);
    const config = JSON.parse(Buffer.from(blob(manifest.config.digest)).toString());
    expect(config).toMatchObject({ architecture: "arm64", os: "linux", created: "2026-01-02T03:04:05.000Z" });
    expect(config.rootfs.diff_ids).toEqual(
      manifest.layers.map(
        ({ digest }: { digest: string }) =>
          `sha256:${createHash("sha256")
            .update(gunzipSync(blob(digest)))
            .digest("hex")}`,
      ),
    );
  });
  test("holds the program, its user's folder and the system, and is the same each time", async () => {
    const { name, json, blob } = await readImage();
    const first = readFileSync(join(folder, name));
    const [, program] = json("manifest.json")[0].Layers.map((path: string) =>
      blob(path.replace("blobs/sha256/", "sha256:")),
    );
    const files = await unpack(gunzipSync(program));
    expect(Buffer.from(files.get("./usr/local/bin/lineside")?.data ?? "").toString()).toBe("the program");
    expect(files.get("./usr/local/bin/lineside")?.header).toMatchObject({ mode: 0o755, uid: 0 });
    expect(files.get("./data/")?.header).toMatchObject({ uid: 10001, gid: 10001, type: "directory" });
    expect(files.get("./tmp/")?.header.mode).toBe(0o1777);
    await writeContainerImage(folder, image);
    expect(readFileSync(join(folder, name)).equals(first)).toBe(true);
  });
});

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { zipSync } from "fflate";
import { packTar, type TarEntry } from "modern-tar";

export type Collection = Readonly<Record<string, string>>;

export const windScript = `function decodeUplink(input) {
  if (input.fPort !== 1) return { errors: ["unknown FPort"] };
  return { data: { direction: input.bytes[0], speed: input.bytes[1] / 10 } };
}
function encodeDownlink(input) { return { bytes: [input.data.led === "green" ? 1 : 0], fPort: 2 }; }
`;

/** A collection in the layout of The Things Network's device repository. */
export const thingsNetworkCollection: Collection = {
  LICENSE: "\n   Apache License\n   Version 2.0\n",
  "vendor/index.yaml": "vendors:\n  - id: gusts\n    name: Gusts & Söhne\n  - id: empty\n    name: Empty\n",
  "vendor/gusts/index.yaml": "endDevices:\n  - wind\n  - twin\n  - without\n",
  "vendor/gusts/wind.yaml":
    "name: Wind Sensor\ndescription: Measures the wind\nfirmwareVersions:\n  - version: '1.0'\n    profiles:\n      EU863-870: { id: p, codec: wind-codec }\n      US902-928: { id: p, codec: wind-codec }\n",
  "vendor/gusts/twin.yaml":
    "name: Twin\ndescription: Two firmware versions\nfirmwareVersions:\n  - version: '1.0'\n    profiles:\n      EU863-870: { id: p, codec: wind-codec }\n  - version: '2.0'\n    profiles:\n      EU863-870: { id: p, codec: twin-codec }\n",
  "vendor/gusts/without.yaml":
    "name: Without\nfirmwareVersions:\n  - version: '1'\n    profiles:\n      EU863-870: { id: p, codec: gone-codec }\n",
  "vendor/gusts/wind-codec.yaml": `uplinkDecoder:
  fileName: wind.js
  examples:
    - description: Weak wind
      input: { fPort: 1, bytes: [3, 19] }
      output: { data: { direction: 3, speed: 1.9 } }
    - description: Unknown port
      input: { fPort: 42, bytes: [1] }
      output: { errors: [unknown FPort] }
downlinkEncoder:
  fileName: wind.js
  examples:
    - description: Turn green
      input: { data: { led: green } }
      output: { bytes: [1], fPort: 2 }
`,
  "vendor/gusts/twin-codec.yaml":
    "uplinkDecoder:\n  fileName: twin.js\n  examples:\n    - description: Wrong\n      input: { fPort: 1, bytes: [1] }\n      output: { data: { t: 2 } }\n",
  "vendor/gusts/wind.js": windScript,
  "vendor/gusts/twin.js": "function Decoder(bytes, port) { return { t: bytes[0] }; }",
  "vendor/gusts/wind.png": "no picture",
};

/** A collection in the layout of ChirpStack's device profiles. */
export const chirpstackCollection: Collection = {
  LICENSE: "The MIT License (MIT)\n",
  "vendors/acme/vendor.toml": '[vendor]\nname = "Acme"\ndevices = ["meter.toml", "gone.toml"]\n',
  "vendors/acme/devices/meter.toml":
    '[device]\nname = "Meter 3"\ndescription = "Counts"\n[[device.firmware]]\nversion = "1.0"\nprofiles = ["EU868.toml"]\ncodec = "meter.js"\n[[device.firmware]]\nversion = "1.1"\nprofiles = ["EU868.toml"]\n',
  "vendors/acme/codecs/meter.js":
    "function decodeUplink(input) { return { data: { count: input.bytes[0] } }; }\nfunction encodeDownlink(input) { return { bytes: [input.data.count] }; }\n",
  "vendors/acme/codecs/test_decode_meter.json":
    '[{"name": "Counts to 21", "input": {"bytes": [21]}, "expected": {"data": {"count": 21}}}]',
  "vendors/acme/codecs/test_encode_meter.json":
    '[{"name": "Sets 22", "input": {"data": {"count": 22}}, "expected": {"bytes": [22]}}]',
};

/** Scripts without descriptions. */
export const plainCollection: Collection = {
  "Milk Sight/EM300.js": "function Decode(fPort, bytes) { return { a: bytes[0] }; }",
  "helper.js": "function help() {}",
};

export function writeCollection(folder: string, files: Collection): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export const zipOf = (files: Collection, top = "collection-main/"): Uint8Array =>
  zipSync(Object.fromEntries(Object.entries(files).map(([path, text]) => [top + path, Buffer.from(text)])));

export async function tarOf(files: Collection, more: readonly TarEntry[] = [], top = "collection-main/") {
  const entries = Object.entries(files).map(([path, text]) => ({
    header: { name: top + path, size: Buffer.byteLength(text), type: "file" as const },
    body: text,
  }));
  return Bun.gzipSync(await packTar([...entries, ...more]));
}

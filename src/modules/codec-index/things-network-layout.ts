import { type CollectedFiles, collectionPath } from "./collected-files.ts";
import {
  boundedText,
  type Fields,
  fieldsOf,
  folderOf,
  listOf,
  readDocument,
} from "./collection-documents.ts";
import { toExamples } from "./collection-examples.ts";
import type { FoundCodec, FoundDevice, Layout } from "./layout.types.ts";

const INDEX = /(^|\/)vendor\/index\.yaml$/;
const NAME_CHARACTERS_MAX = 128;
const DESCRIPTION_CHARACTERS_MAX = 1_000;
const VERSIONS_MAX = 50;

/** Reads `<codec>.yaml`, which names the script of each direction. A script for downlinks is used only if there is none for uplinks. */
function codecAt(files: CollectedFiles, path: string): Omit<FoundCodec, "firmware"> | undefined {
  const { uplinkDecoder, downlinkEncoder } = fieldsOf(readDocument(files, path));
  const [uplink, downlink] = [fieldsOf(uplinkDecoder), fieldsOf(downlinkEncoder)];
  const name = uplink.fileName ?? downlink.fileName;
  const file = typeof name === "string" ? collectionPath(folderOf(path) + name) : undefined;
  if (file === undefined) return undefined;
  const examples = [
    ...toExamples(uplink.examples, "uplink"),
    ...(downlink.fileName === name ? toExamples(downlink.examples, "downlink") : []),
  ];
  return { file, examples };
}

/** Returns the codecs of a device with their firmware versions. */
function codecNames(device: Fields): Map<string, { folder: string; versions: Set<string> }> {
  const found = new Map<string, { folder: string; versions: Set<string> }>();
  for (const firmware of listOf(device.firmwareVersions).slice(0, VERSIONS_MAX)) {
    const { version, profiles } = fieldsOf(firmware);
    for (const profile of Object.values(fieldsOf(profiles))) {
      const { codec, vendorID } = fieldsOf(profile);
      if (typeof codec !== "string") continue;
      const use = found.get(codec) ?? {
        folder: boundedText(vendorID, NAME_CHARACTERS_MAX),
        versions: new Set(),
      };
      use.versions.add(boundedText(version, NAME_CHARACTERS_MAX));
      found.set(codec, use);
    }
  }
  return found;
}

function codecsOf(
  files: CollectedFiles,
  place: { root: string; vendor: string },
  device: Fields,
): FoundCodec[] {
  const names = codecNames(device);
  return [...names].flatMap(([name, { folder, versions }]) => {
    const codec =
      codecAt(files, `${place.root}${place.vendor}/${name}.yaml`) ??
      codecAt(files, `${place.root}${folder}/${name}.yaml`);
    if (codec === undefined) files.skip();
    return codec === undefined
      ? []
      : [{ ...codec, firmware: names.size > 1 ? [...versions].join(", ") : "" }];
  });
}

/** Layout of The Things Network's device repository: `vendor/index.yaml`, `vendor/<vendor>/index.yaml`, `<device>.yaml`, `<codec>.yaml`. */
export const thingsNetworkLayout: Layout = function* (files, paths) {
  for (const index of paths.filter((path) => INDEX.test(path))) {
    const root = folderOf(index);
    for (const listed of listOf(fieldsOf(readDocument(files, index)).vendors)) {
      const { id, name } = fieldsOf(listed);
      if (typeof id === "string")
        yield* devicesOf(files, root, { id, name: boundedText(name, NAME_CHARACTERS_MAX) || id });
    }
  }
};

function* devicesOf(
  files: CollectedFiles,
  root: string,
  vendor: { readonly id: string; readonly name: string },
): Generator<FoundDevice> {
  const { endDevices } = fieldsOf(readDocument(files, `${root}${vendor.id}/index.yaml`));
  for (const id of new Set(listOf(endDevices))) {
    const device = fieldsOf(readDocument(files, `${root}${vendor.id}/${id}.yaml`));
    yield {
      vendor: vendor.name,
      model: boundedText(device.name, NAME_CHARACTERS_MAX) || boundedText(id, NAME_CHARACTERS_MAX),
      description: boundedText(device.description, DESCRIPTION_CHARACTERS_MAX),
      codecs: codecsOf(files, { root, vendor: vendor.id }, device),
    };
  }
}

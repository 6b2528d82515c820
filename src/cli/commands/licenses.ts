import { LICENSES_ASSET, readAsset } from "../../platform/process/assets.ts";

/** `lineside licenses`: prints the licenses of the program and of every package inside it. */
export async function licensesCommand(): Promise<number> {
  const packed = readAsset(LICENSES_ASSET);
  if (packed === undefined) {
    console.error("The license texts are not built yet: run npm run lineside -- licenses.");
    return 1;
  }
  // `console.log` writes the whole text before the process ends, also into a pipe.
  console.log(new TextDecoder().decode(Bun.gunzipSync(new Uint8Array(packed))));
  return 0;
}

import { writeNames } from "../../lib/keys/name-list.ts";

/** Returns the address of a device's data with one key. An address cannot contain half a surrogate pair. */
export const dataHref = (deviceId: string, key: string): string =>
  `/devices/${deviceId}/data?keys=${encodeURIComponent(writeNames([key]).toWellFormed())}`;

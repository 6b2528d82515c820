import type { updateBody } from "../../../modules/updates/updates.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { get, post, putFile, remove } from "../../platform/api-client.ts";

export type Update = Wire<typeof updateBody>;

const PATH = "/api/gateway/update";
const PART_BYTES = 512 * 1024;

export const updateApi = {
  get: () => get<Update>(PATH),
  install: () => post<Update>(`${PATH}/install`, {}),
  discard: () => remove<Update>(`${PATH}/upload`),
  /** Uploads the file in parts, continuing an interrupted upload of a file of the same size. */
  async upload(file: File, present: Update["upload"], onProgress: (share: number) => void): Promise<void> {
    let offset = present?.totalBytes === file.size ? present.bytes : 0;
    while (offset < file.size) {
      const part = file.slice(offset, offset + PART_BYTES);
      await putFile<Update>(`${PATH}/upload?offset=${offset}`, "application/octet-stream", part);
      offset += part.size;
      onProgress(offset / file.size);
    }
  },
};

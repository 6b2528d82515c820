import type {
  entryBody,
  entryTestBody,
  indexStatusBody,
  listedEntryBody,
  loadIndexBody,
} from "../../../modules/codec-index/codec-index.schemas.ts";
import type { Wire } from "../../lib/wire.ts";
import { ApiError, get, getPage, post, putFile, queryOf, remove } from "../../platform/api-client.ts";
import { type Codec, codecsApi } from "./codecs-api.ts";

export type IndexStatus = Wire<typeof indexStatusBody>;
export type ListedEntry = Wire<typeof listedEntryBody>;
export type EntryTest = Wire<typeof entryTestBody>;

const BASE = "/api/integrations/codec-index";
const entry = (id: string) => `${BASE}/entries/${encodeURIComponent(id)}`;

export const codecIndexApi = {
  status: () => get<IndexStatus>(BASE),
  search: (search: string, limit: number) => getPage<ListedEntry>(`${BASE}/entries`, { search, limit }),
  get: (id: string) => get<Wire<typeof entryBody>>(entry(id)),
  test: (id: string) => post<EntryTest>(`${entry(id)}/test`),
  uploadPart: (position: { offset: number; total: number }, content: Blob) =>
    putFile<IndexStatus>(`${BASE}/archive?${queryOf(position)}`, "application/octet-stream", content),
  load: (body: Wire<typeof loadIndexBody>) => post<IndexStatus>(`${BASE}/load`, body),
  delete: () => remove<IndexStatus>(BASE),
};

export const nameOf = ({ vendor, model, firmware }: ListedEntry): string =>
  `${vendor} ${model}${firmware === "" ? "" : ` (${firmware})`}`.trim().slice(0, 256);

/** Copies a codec of the index into the library, or returns an unchanged existing copy. */
export async function createFrom(listed: ListedEntry): Promise<Codec> {
  const { source, file, license, description } = await codecIndexApi.get(listed.entryId);
  const name = nameOf(listed);
  const origin = [file, license].filter(Boolean).join(", ");
  const about = [description, origin].filter(Boolean).join("\n").slice(0, 2_000);
  try {
    return await codecsApi.create({ name, description: about, source });
  } catch (error) {
    if (!(error instanceof ApiError) || error.text?.code !== "codec.name_taken") throw error;
    const other = (await codecsApi.list()).find((codec) => codec.name.toLowerCase() === name.toLowerCase());
    const codec = other && (await codecsApi.get(other.codecId));
    if (codec?.source !== source) throw error;
    return codec;
  }
}

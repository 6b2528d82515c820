import { call, get, post } from "../../platform/api-client.ts";

export interface ListedCodec {
  readonly codecId: string;
  readonly name: string;
  readonly description: string | null;
  readonly functions: readonly string[];
  readonly usedBy: ReadonlyArray<{ readonly integrationId: string; readonly name: string }>;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export interface Codec extends ListedCodec {
  readonly source: string;
}

export interface CodecForm {
  readonly name: string;
  readonly description: string | null;
  readonly source: string;
}

export interface TrialRequest {
  readonly source: string;
  readonly direction: "uplink" | "downlink";
  readonly frame?: string;
  readonly message?: unknown;
  readonly data?: unknown;
  readonly fPort?: number;
}

export interface ScriptError {
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
}

export interface ConsoleLine {
  readonly level: string;
  readonly text: string;
}

export interface Trial {
  readonly result: unknown;
  readonly dropped: boolean;
  readonly bytes: { readonly hex: string; readonly base64: string; readonly fPort: number | null } | null;
  readonly warnings: readonly string[];
  readonly console: readonly ConsoleLine[];
  readonly usedMs: number;
  readonly error: ScriptError | null;
}

const BASE = "/api/integrations/codecs";
const codec = (id: string) => `${BASE}/${encodeURIComponent(id)}`;

export const codecsApi = {
  list: () => get<ListedCodec[]>(BASE),
  get: (id: string) => get<Codec>(codec(id)),
  create: (form: CodecForm) => post<Codec>(BASE, form),
  update: async (id: string, changes: Partial<CodecForm>) =>
    (await call<Codec>("PATCH", codec(id), changes)).body,
  delete: (id: string) => call<unknown>("DELETE", codec(id)),
  preview: (request: TrialRequest) => post<Trial>(`${BASE}/preview`, request),
};

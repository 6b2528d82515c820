// Whether the gateway stores data and serves requests, by its /readyz.
import { signal } from "@preact/signals";
import type { Text } from "../../lib/texts/text.ts";
import { readAny } from "./api-client.ts";

/** `message` is the English text, for codes unknown to this console. */
export type HealthReason = Text & { readonly message: string };

export interface Readiness {
  /** Why the gateway is not ready; empty if it is. */
  readonly reasons: readonly HealthReason[];
  /** Problems that do not make the gateway unready. */
  readonly warnings: readonly HealthReason[];
}

/** The newest response; undefined before the first one, and while there is none. */
export const readiness = signal<Readiness | undefined>(undefined);

let newest = 0;

export async function askReadiness(): Promise<void> {
  const mine = ++newest;
  const body = await readAny<Partial<Readiness>>("/readyz").catch(() => undefined);
  if (mine !== newest) return;
  readiness.value = body && { reasons: body.reasons ?? [], warnings: body.warnings ?? [] };
}

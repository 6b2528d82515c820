import { inEnglish } from "../../lib/core/domain-error.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import { hasText } from "../../lib/texts/catalogues.ts";
import type { Text } from "../../lib/texts/text.ts";
import { iso } from "../../lib/time/iso-time.ts";
import { workShare } from "../../platform/load/fair-share.ts";
import type { FaultEntry, FaultSubject } from "./faults.types.ts";
import { isRefusal, reasonOf } from "./refusals.types.ts";
import type { SubjectNames } from "./subject-names.ts";

/** Current names of the subjects of faults. */
export interface FaultNames {
  readonly tenants: {
    find(tenantId: TenantId): { readonly name: string; readonly isHost: boolean } | undefined;
  };
  readonly subjects: Pick<SubjectNames, "find">;
}

const rendered = ({ code, params }: Text) => ({ code, params, message: inEnglish({ code, params }) });

/** Returns the remedy for a fault whose text does not contain it; some depend on the kind of its subject. */
export function hintOf({ code, params }: Text, subjectKind?: FaultSubject["kind"]) {
  const hint = isRefusal(code) ? `refusal_hint.${reasonOf(code)}` : `fault_hint.${code}`;
  const found = [`${hint}.${subjectKind}`, hint].find(hasText);
  return found === undefined ? {} : { hint: rendered({ code: found, params }) };
}

function subjectToWire(names: FaultNames, subject: FaultSubject) {
  const name = names.subjects.find(subject);
  return { kind: subject.kind, id: subject.id, ...(name !== undefined && { name }) };
}

export function faultToWire(names: FaultNames, entry: FaultEntry) {
  const { faultId, source, code, params, subject, identity, tenantId, count } = entry;
  const { where, sample, address, protocol, port, client } = entry;
  const tenantName = tenantId && names.tenants.find(tenantId)?.name;
  return {
    faultId,
    source,
    reason: rendered({ code, params }),
    ...hintOf(entry, subject?.kind),
    ...(subject !== undefined && { subject: subjectToWire(names, subject) }),
    ...(where !== undefined && { where }),
    ...(sample !== undefined && { sample }),
    ...(identity !== undefined && { identityKind: identity.kind, identity: identity.name }),
    ...(address !== undefined && { address }),
    ...(protocol !== undefined && { protocol }),
    ...(port !== undefined && { port }),
    ...(client !== undefined && { client }),
    count,
    firstAt: iso(entry.firstAt),
    lastAt: iso(entry.lastAt),
    ...(tenantId !== undefined && { tenantId }),
    ...(tenantName !== undefined && { tenantName }),
  };
}

/** Hides data that may belong to another tenant's client. */
export function forTenant<Wire extends { identityKind?: string; address?: string; client?: string }>(
  fault: Wire,
): Wire {
  if (fault.identityKind !== "shared_name") return fault;
  const hidden = { ...fault };
  delete hidden.address;
  delete hidden.client;
  return hidden;
}

/** Renders up to thousands of entries, letting other requests run in between. */
export async function renderInTurns<Shown>(
  entries: readonly FaultEntry[],
  render: (entry: FaultEntry) => Shown,
): Promise<Shown[]> {
  const shown: Shown[] = [];
  for (const entry of entries) {
    const turn = workShare.pause();
    if (turn !== undefined) await turn;
    shown.push(render(entry));
  }
  return shown;
}

import { t } from "elysia";
import { FAULT_SOURCES, FAULT_SUBJECTS } from "../../lib/alarms/fault-sources.ts";
import { searchQuery, timeRangeQuery } from "../api/lists.schemas.ts";
import { PEER_PROTOCOLS } from "../api/request-peer.ts";
import { choice, literals, renderedText, wholeNumber } from "../api/wire.schemas.ts";
import { FAULTS_MAX, FAULTS_PER_HOLDER_MAX } from "./faults.service.ts";
import { IDENTITY_KINDS } from "./refusals.types.ts";

export const FAULTS_PAGE_DEFAULT = 100;
const FAULTS_PAGE_MAX = 1_000;

const subjectBody = t.Object({
  kind: choice(FAULT_SUBJECTS),
  id: t.String(),
  name: t.Optional(t.String()),
});

export const faultBody = t.Object(
  {
    faultId: t.String(),
    source: choice(FAULT_SOURCES, { description: "where it occurred" }),
    reason: renderedText,
    hint: t.Optional(renderedText),
    subject: t.Optional(subjectBody),
    where: t.Optional(t.String({ description: "topic, path, address or file, as the sender used it" })),
    sample: t.Optional(
      t.String({
        description:
          "first bytes of the newest message, as text with masked secrets; samples of integrations require `integrations:write`",
      }),
    ),
    identityKind: t.Optional(
      choice(IDENTITY_KINDS, {
        description:
          "what `identity` names; `others` stands for all further identities of an address that has used many",
      }),
    ),
    identity: t.Optional(
      t.String({ description: "identity that a refused client claimed; of a token or key the beginning" }),
    ),
    address: t.Optional(t.String({ description: "network address of the client" })),
    protocol: t.Optional(choice(PEER_PROTOCOLS)),
    port: t.Optional(t.Integer({ description: "port of the gateway" })),
    client: t.Optional(t.String({ description: "MQTT client id or user agent, of the newest occurrence" })),
    count: wholeNumber({ description: "number of occurrences" }),
    firstAt: t.String({ format: "date-time" }),
    lastAt: t.String({ format: "date-time" }),
    tenantId: t.Optional(t.String()),
    tenantName: t.Optional(t.String()),
  },
  { title: "Fault" },
);

export const faultCountBody = t.Object(
  {
    source: choice(FAULT_SOURCES),
    code: t.String({ description: "code of the reason" }),
    entries: wholeNumber(),
    count: wholeNumber({ description: "occurrences of all entries" }),
  },
  { title: "FaultCount" },
);

const filter = {
  source: t.Optional(literals(FAULT_SOURCES, { description: "faults of this source" })),
  code: t.Optional(t.String({ maxLength: 100, description: "faults with this code" })),
  subject: t.Optional(literals(FAULT_SUBJECTS, { description: "faults about objects of this type" })),
  subjectId: t.Optional(t.String({ maxLength: 64, description: "id of the object; needs `subject`" })),
  ...timeRangeQuery({ from: "last occurrence not before", to: "last occurrence not after" }),
  search: searchQuery(["name", "address", "identity", "client", "place", "message"]),
};

/** Filters of the list, also accepted for clearing, with the same meaning. */
export const faultFilterQuery = t.Object(filter);

export const listFaultsQuery = t.Object({
  ...filter,
  sort: t.Optional(t.Literal("-lastAt", { description: "the only order of this list: the newest first" })),
  limit: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: FAULTS_PAGE_MAX,
      description: `maximum number of faults; default ${FAULTS_PAGE_DEFAULT}`,
    }),
  ),
  cursor: t.Optional(
    t.String({ maxLength: 80, description: "cursor from the `Link` header of the previous page" }),
  ),
});

export const FAULTS_KEPT = `Faults that differ only in time, numbers and sample are one entry. The gateway keeps ${FAULTS_MAX} entries, up to ${FAULTS_PER_HOLDER_MAX} per object and per address; if there are more, the tenant with the most entries loses the oldest entry of its object with the most entries. They survive a restart. Samples and identities never contain secrets.`;

import { DomainError, detail } from "../../lib/core/domain-error.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import { networkErrorText } from "../../lib/network/network-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { OpcUaRead, OpcUaSession } from "../../platform/opcua/opcua.calls.ts";
import {
  OpcUaConnection,
  OpcUaFailure,
  OpcUaRefusal,
  OpcUaTypeMismatch,
  TOO_MANY_OPERATIONS,
} from "../../platform/opcua/opcua-connection.ts";
import type { OpcUaThread } from "../../platform/opcua/opcua-thread.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { BlockRead, FieldBlock, FieldFailure, FieldProtocol } from "../field/field.protocol.ts";
import type { FieldValue } from "../field/field.types.ts";
import { ensureItems, keysOf } from "./item-checks.ts";
import {
  opcuaErrors,
  opcuaItemInvalid,
  opcuaModePolicy,
  opcuaPasswordLost,
  opcuaUserNameNeeded,
  refusalText,
  statusText,
} from "./opcua.errors.ts";
import type { OpcUaConnectionRecord, opcuaConnectionResource } from "./opcua.resource.ts";
import type { NewUnit, OpcUaItem, OpcUaUnit, UnitChange } from "./opcua.types.ts";

type OpcUaCreate = typeof opcuaConnectionResource.$create;
type OpcUaUpdate = typeof opcuaConnectionResource.$update;

export interface OpcUaKind {
  readonly connection: OpcUaConnectionRecord;
  readonly unit: OpcUaUnit;
  readonly entry: OpcUaItem;
  readonly line: OpcUaConnection;
  readonly create: OpcUaCreate;
  readonly update: OpcUaUpdate;
  readonly createUnit: NewUnit;
  readonly updateUnit: UnitChange;
}

const connectionDefaults = {
  enabled: true,
  port: 4_840,
  path: "",
  securityMode: "NONE",
  securityPolicy: "NONE",
  acceptedFingerprint: null,
  signIn: "ANONYMOUS",
  userName: null,
  storesUncertain: false,
  timeoutMs: 4_000,
} as const;
const unitDefaults = { intervalMs: 1_000, items: [] } as const;
/** A server that comes back is read within five seconds. */
const WAIT_MS_MAX = 3_000;
/** Variables of one request. Servers have limits, and one that refuses is asked for fewer. */
const NODES_PER_REQUEST = 250;
/** Top bits of a status code: what it means for the value (OPC 10000-4, 7.39). */
const SEVERITY = 0xc000_0000;
const UNCERTAIN = 0x4000_0000;
/** Variables with these status codes cannot be read, whatever the plant does: node and attribute unknown or invalid, not readable, no access. */
const REFUSALS: ReadonlySet<number> = new Set([
  0x8033_0000, 0x8034_0000, 0x8035_0000, 0x803a_0000, 0x801f_0000,
]);

export function failureOf(error: unknown): FieldFailure {
  if (error instanceof OpcUaRefusal) {
    const { statusCode } = error;
    const isTooLarge = statusCode === TOO_MANY_OPERATIONS;
    return { text: refusalText(statusCode), isAnswer: true, ...(isTooLarge && { refusal: statusCode }) };
  }
  if (error instanceof OpcUaTypeMismatch)
    return { text: detail("opcua.type_mismatch", { type: error.typeName }), isAnswer: true };
  if (error instanceof OpcUaFailure) return { text: error.reason };
  return {
    text: networkErrorText(error),
    isSilence: error instanceof DomainError && error.kind === "timed_out",
  };
}

/** What is wrong with a value that was read, and the values of its keys. */
function valuesOf(
  item: OpcUaItem,
  { status, value }: OpcUaRead,
  storesUncertain: boolean,
): { values: (FieldValue | undefined)[]; note?: Text } {
  const none = keysOf(item).map(() => undefined);
  const severity = (status & SEVERITY) >>> 0;
  const quality = detail(severity === UNCERTAIN ? "opcua_note.uncertain" : "opcua_note.bad", {
    status: statusText(status),
  });
  if (severity !== 0 && !(severity === UNCERTAIN && storesUncertain)) return { values: none, note: quality };
  const noted = severity === 0 ? {} : { note: quality };
  if (value === undefined) return { values: none, note: detail("opcua_note.no_value") };
  if (item.length === undefined)
    return typeof value === "object"
      ? { values: none, note: detail("opcua_note.array", { count: value.length }) }
      : { values: [value], ...noted };
  if (typeof value !== "object") return { values: none, note: detail("opcua_note.single") };
  const values = none.map((_, index) => value[index]);
  if (value.length === item.length) return { values, ...noted };
  return { values, note: detail("opcua_note.length", { count: value.length, length: item.length }) };
}

async function readItems(
  line: OpcUaConnection,
  items: readonly OpcUaItem[],
  storesUncertain: boolean,
): Promise<BlockRead<OpcUaItem>> {
  const reads = await line.request("read", { nodes: items.map(({ address }) => address) });
  const values: [OpcUaItem, (FieldValue | undefined)[]][] = [];
  const refused = new Map<OpcUaItem, number>();
  const notes = new Map<OpcUaItem, Text>();
  const sampledAt = new Map<OpcUaItem, number>();
  for (const [index, item] of items.entries()) {
    const read = reads[index];
    if (read === undefined || REFUSALS.has(read.status)) {
      refused.set(item, read?.status ?? 0);
      continue;
    }
    const { values: own, note } = valuesOf(item, read, storesUncertain);
    values.push([item, own]);
    if (note !== undefined) notes.set(item, note);
    if (read.sampledAt !== undefined) sampledAt.set(item, read.sampledAt);
  }
  return { values, refused, notes, sampledAt };
}

const planItems = (items: readonly OpcUaItem[], storesUncertain: boolean): FieldBlock<OpcUaKind>[] =>
  Array.from({ length: Math.ceil(items.length / NODES_PER_REQUEST) }, (_, index) => {
    const entries = items.slice(index * NODES_PER_REQUEST, (index + 1) * NODES_PER_REQUEST);
    return { entries, read: (line) => readItems(line, entries, storesUncertain) };
  });

/** Writes a value and reads back what the server has then. */
function writing({ key, address: node }: OpcUaItem, value: JsonValue) {
  if (typeof value === "object") throw opcuaItemInvalid(key, detail("opcua_rule.value"));
  return async (line: OpcUaConnection): Promise<JsonValue> => {
    const status = await line.request("write", { node, value });
    if ((status & SEVERITY) >>> 0 !== 0) throw new OpcUaRefusal(status);
    const [read] = await line.request("read", { nodes: [node] }).catch(() => []);
    return { [key]: typeof read?.value === "object" ? null : (read?.value ?? null) };
  };
}

export interface OpcUaProtocolDeps {
  readonly thread: OpcUaThread;
  readonly box: SealedBox;
}

export function createOpcUaProtocol({ thread, box }: OpcUaProtocolDeps): FieldProtocol<OpcUaKind> {
  function userOf({ signIn, userName, passwordSealed }: OpcUaConnectionRecord): OpcUaSession["user"] {
    if (signIn !== "USER_NAME") return { kind: signIn };
    const password = passwordSealed === null ? "" : box.open(passwordSealed);
    if (password === undefined) throw opcuaPasswordLost();
    return { kind: signIn, userName: userName ?? "", password };
  }

  /** @throws DomainError `invalid` for settings that contradict each other */
  function checked<
    Fields extends Pick<OpcUaConnectionRecord, "securityMode" | "securityPolicy" | "signIn" | "userName">,
  >(fields: Fields): Fields {
    if ((fields.securityMode === "NONE") !== (fields.securityPolicy === "NONE")) throw opcuaModePolicy();
    if (fields.signIn === "USER_NAME" && fields.userName === null) throw opcuaUserNameNeeded();
    return fields;
  }

  return {
    name: "opcua",
    label: "OPC UA",
    errors: opcuaErrors,
    waitMsMax: WAIT_MS_MAX,
    open: async (connection, options) =>
      OpcUaConnection.open(thread, {
        ...connection,
        ...options,
        session: {
          mode: connection.securityMode,
          policy: connection.securityPolicy,
          fingerprint: connection.acceptedFingerprint,
          user: userOf(connection),
        },
      }),
    whereOf: ({ host, port, path }) => `opc.tcp://${host}:${port}${path}`,
    unitIdOf: ({ opcuaUnitId }) => opcuaUnitId,
    entriesOf: ({ items }) => items,
    keysOf,
    plan: (_, items, { storesUncertain }) => planItems(items, storesUncertain),
    failureOf,
    refusedText: (key, code) => detail("opcua.item_refused", { key, reason: refusalText(code) }),
    writing: (_, item, { value }) => writing(item, value),
    newConnection: ({ password, ...input }) =>
      checked({
        ...connectionDefaults,
        ...input,
        passwordSealed: password === undefined ? null : box.seal(password),
      }),
    changedConnection: (before, { password, ...change }) => {
      const after = { ...before, ...change };
      const isElsewhere = after.host !== before.host || after.port !== before.port;
      const isForgotten = isElsewhere && password === undefined;
      return checked({
        ...after,
        ...(isElsewhere && change.acceptedFingerprint === undefined && { acceptedFingerprint: null }),
        ...(isForgotten && { passwordSealed: null }),
        ...(password !== undefined && { passwordSealed: box.seal(password) }),
      });
    },
    newUnit: (input, { unitId: opcuaUnitId, ...base }) => ({
      ...unitDefaults,
      ...input,
      ...base,
      opcuaUnitId,
    }),
    ensureEntries: ensureItems,
  };
}

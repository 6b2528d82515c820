import { detail } from "../../lib/core/domain-error.ts";
import type { JsonValue } from "../../lib/json/json.ts";
import type { OpcUaSession } from "../../platform/opcua/opcua.calls.ts";
import {
  OpcUaConnection,
  OpcUaFailure,
  OpcUaRefusal,
  OpcUaTypeMismatch,
  TOO_MANY_OPERATIONS,
} from "../../platform/opcua/opcua-connection.ts";
import type { OpcUaThread } from "../../platform/opcua/opcua-thread.ts";
import type { SealedBox } from "../../platform/secrets/sealed-box.ts";
import type { FieldFailure, FieldProtocol } from "../field/field.protocol.ts";
import { networkFailure } from "../field/network-failure.ts";
import { planItems, severityOf } from "./item-block.ts";
import { ensureItems, keysOf } from "./item-checks.ts";
import {
  isUserRefusal,
  opcuaErrors,
  opcuaItemInvalid,
  opcuaModePolicy,
  opcuaPasswordLost,
  opcuaUserNameNeeded,
  refusalText,
} from "./opcua.errors.ts";
import type { OpcUaConnectionRecord } from "./opcua.resource.ts";
import type { OpcUaItem } from "./opcua.types.ts";
import type { OpcUaKind } from "./opcua-kind.ts";

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
  reading: "SUBSCRIPTION",
  timeoutMs: 4_000,
} as const;
const unitDefaults = { intervalMs: 1_000, deadband: null, items: [] } as const;

export function failureOf(error: unknown): FieldFailure {
  if (error instanceof OpcUaRefusal) {
    const { statusCode } = error;
    const isTooLarge = statusCode === TOO_MANY_OPERATIONS;
    return {
      text: refusalText(statusCode),
      isResponse: true,
      isUserRefused: isUserRefusal(statusCode),
      ...(isTooLarge && { refusal: statusCode }),
    };
  }
  if (error instanceof OpcUaTypeMismatch)
    return { text: detail("opcua.type_mismatch", { type: error.typeName }), isResponse: true };
  if (error instanceof OpcUaFailure) return { text: error.reason };
  return networkFailure(error);
}

/** Writes a value and reads it back, or calls a method and returns its result. */
function writing({ key, address: node, method }: OpcUaItem, value: JsonValue) {
  if (method !== undefined)
    return async (line: OpcUaConnection): Promise<JsonValue> => {
      const call = { object: node, method, params: value };
      const { status, response } = await line.request("callMethod", { call });
      if (severityOf(status) !== 0) throw new OpcUaRefusal(status);
      return { [key]: response };
    };
  if (typeof value === "object") throw opcuaItemInvalid(key, detail("opcua_rule.value"));
  return async (line: OpcUaConnection): Promise<JsonValue> => {
    const status = await line.request("write", { node, value });
    if (severityOf(status) !== 0) throw new OpcUaRefusal(status);
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

  /** @throws DomainError `invalid` for contradictory settings */
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
    plan: planItems,
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

import { conflict, detail, forbidden, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { FieldErrors } from "../field/field.errors.ts";

export const opcuaErrors: FieldErrors = {
  unitNotFound: () => notFound("opcua.unit_not_found"),
  deviceTaken: () => conflict("opcua.device_taken"),
  tooManyUnits: (max) => conflict("opcua.too_many_units", { max }),
  tooManyEntries: (max) => conflict("opcua.too_many_items", { max }),
  needsAllDevices: () => forbidden("opcua.all_devices_needed"),
  notConnected: () => conflict("opcua.not_connected"),
  keyUnknown: (key) => invalid("opcua.key_unknown", { key }),
  keyNotWritable: (key) => invalid("opcua.key_not_writable", { key }),
  csvUnreadable: (reason) => invalid("opcua.csv_unreadable", { reason }),
  disconnected: (reason) => detail("fault.opcua_disconnected", { reason }),
  readFailed: (reason) => detail("fault.opcua_read_failed", { reason }),
  mapColumn: (column) => detail("opcua_rule.column", { column }),
  keyTwice: () => detail("opcua_rule.key_twice"),
  mapEntries: (max) => detail("opcua_rule.items", { max }),
};

export const opcuaItemInvalid = (key: string, reason: Text) => invalid("opcua.item_invalid", { key, reason });
export const opcuaNodeInvalid = () => invalid("opcua.node_invalid");
export const opcuaModePolicy = () => invalid("opcua.mode_policy");
export const opcuaUserNameNeeded = () => invalid("opcua.user_name_needed");
export const opcuaPasswordLost = () => conflict("opcua.password_lost");

const STATUS_NAMES = new Map([
  [0x801f_0000, "BadUserAccessDenied"],
  [0x8033_0000, "BadNodeIdInvalid"],
  [0x8034_0000, "BadNodeIdUnknown"],
  [0x8035_0000, "BadAttributeIdInvalid"],
  [0x803a_0000, "BadNotReadable"],
  [0x803b_0000, "BadNotWritable"],
  [0x803c_0000, "BadOutOfRange"],
  [0x8074_0000, "BadTypeMismatch"],
  [0x8031_0000, "BadNoCommunication"],
  [0x8032_0000, "BadWaitingForInitialData"],
  [0x808a_0000, "BadNotConnected"],
  [0x808b_0000, "BadDeviceFailure"],
  [0x808c_0000, "BadSensorFailure"],
  [0x808d_0000, "BadOutOfService"],
  [0x8012_0000, "BadCertificateInvalid"],
  [0x8013_0000, "BadSecurityChecksFailed"],
  [0x8014_0000, "BadCertificateTimeInvalid"],
  [0x8017_0000, "BadCertificateUriInvalid"],
  [0x801a_0000, "BadCertificateUntrusted"],
  [0x801d_0000, "BadCertificateRevoked"],
  [0x8021_0000, "BadIdentityTokenRejected"],
  [0x8020_0000, "BadIdentityTokenInvalid"],
  [0x8010_0000, "BadTooManyOperations"],
  [0x8075_0000, "BadMethodInvalid"],
  [0x8076_0000, "BadArgumentsMissing"],
  [0x80ab_0000, "BadInvalidArgument"],
  [0x80e5_0000, "BadTooManyArguments"],
  [0x408f_0000, "UncertainNoCommunicationLastUsableValue"],
  [0x4090_0000, "UncertainLastUsableValue"],
  [0x4091_0000, "UncertainSubstituteValue"],
  [0x4093_0000, "UncertainSensorNotAccurate"],
]);

/** Bits of a status code with its meaning; the other bits are details of the value. */
const MEANING = 0xffff_0000;

/** Codes of refused sign-ins. Some servers lock a user after a few of them. */
const USER_REFUSALS: readonly number[] = [0x801f_0000, 0x8020_0000, 0x8021_0000];
/** First and last code about certificates. Servers should only send 0x8013 (Bad_SecurityChecksFailed), without details. */
const CERTIFICATE_CODES = [0x8012_0000, 0x801d_0000] as const;

export const isUserRefusal = (code: number): boolean => USER_REFUSALS.includes((code & MEANING) >>> 0);

/** Returns the name of a status code (OPC 10000-6, annex A), or the code itself. */
export const statusText = (code: number): string =>
  STATUS_NAMES.get((code & MEANING) >>> 0) ?? `0x${code.toString(16).padStart(8, "0")}`;

export function refusalText(code: number): Text {
  const meaning = (code & MEANING) >>> 0;
  if (isUserRefusal(code)) return detail("opcua_refusal.access");
  if (meaning >= CERTIFICATE_CODES[0] && meaning <= CERTIFICATE_CODES[1])
    return detail("opcua_refusal.certificate", { status: statusText(code) });
  switch (meaning) {
    case 0x8033_0000:
    case 0x8034_0000:
      return detail("opcua_refusal.missing");
    case 0x803b_0000:
      return detail("opcua_refusal.read_only");
    default:
      return detail("opcua_refusal.other", { status: statusText(code) });
  }
}

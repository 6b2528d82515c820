import { conflict, detail, forbidden, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { BacnetRefusal } from "../../platform/bacnet/bacnet-connection.ts";
import type { FieldErrors } from "../field/field.errors.ts";

export const bacnetErrors: FieldErrors = {
  unitNotFound: () => notFound("bacnet.unit_not_found"),
  deviceTaken: () => conflict("bacnet.device_taken"),
  tooManyUnits: (max) => conflict("bacnet.too_many_units", { max }),
  tooManyEntries: (max) => conflict("bacnet.too_many_objects", { max }),
  needsAllDevices: () => forbidden("bacnet.all_devices_needed"),
  notConnected: () => conflict("bacnet.not_connected"),
  keyUnknown: (key) => invalid("bacnet.key_unknown", { key }),
  keyNotWritable: (key) => invalid("bacnet.key_not_writable", { key }),
  csvUnreadable: (reason) => invalid("bacnet.csv_unreadable", { reason }),
  disconnected: (reason) => detail("fault.bacnet_disconnected", { reason }),
  readFailed: (reason) => detail("fault.bacnet_read_failed", { reason }),
  mapColumn: (column) => detail("bacnet_rule.column", { column }),
  keyTwice: () => detail("bacnet_rule.key_twice"),
  mapEntries: (max) => detail("bacnet_rule.objects", { max }),
};

export const objectInvalid = (key: string, reason: Text) => invalid("bacnet.object_invalid", { key, reason });
export const addressInvalid = () => invalid("bacnet.address_invalid");

/** Offsets of reject and abort reasons, which follow the 16-bit error codes. */
const KIND_CODES = { error: 0, reject: 0x1_0000, abort: 0x2_0000 } as const;
export const codeOf = ({ kind, refusalCode }: BacnetRefusal): number => KIND_CODES[kind] + refusalCode;

/** Returns the meaning of a code with which a device refuses a property. */
export function refusalText(code: number): Text {
  if (code >= KIND_CODES.abort) return detail("bacnet_refusal.abort", { code: code - KIND_CODES.abort });
  if (code >= KIND_CODES.reject) return detail("bacnet_refusal.reject", { code: code - KIND_CODES.reject });
  switch (code) {
    case 31:
      return detail("bacnet_refusal.object");
    case 32:
      return detail("bacnet_refusal.property");
    case 42:
      return detail("bacnet_refusal.index");
    case 27:
    case 40:
    case 85:
      return detail("bacnet_refusal.access");
    case 9:
    case 37:
    case 47:
      return detail("bacnet_refusal.value");
    default:
      return detail("bacnet_refusal.other", { code });
  }
}

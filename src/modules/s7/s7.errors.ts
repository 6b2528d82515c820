import { conflict, detail, forbidden, invalid, notFound } from "../../lib/core/domain-error.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { FieldErrors } from "../field/field.errors.ts";

export const s7Errors: FieldErrors = {
  unitNotFound: () => notFound("s7.unit_not_found"),
  deviceTaken: () => conflict("s7.device_taken"),
  tooManyUnits: (max) => conflict("s7.too_many_units", { max }),
  tooManyEntries: (max) => conflict("s7.too_many_tags", { max }),
  needsAllDevices: () => forbidden("s7.all_devices_needed"),
  notConnected: () => conflict("s7.not_connected"),
  keyUnknown: (key) => invalid("s7.key_unknown", { key }),
  keyNotWritable: (key) => invalid("s7.key_not_writable", { key }),
  csvUnreadable: (reason) => invalid("s7.csv_unreadable", { reason }),
  disconnected: (reason) => detail("fault.s7_disconnected", { reason }),
  readFailed: (reason) => detail("fault.s7_read_failed", { reason }),
  mapColumn: (column) => detail("s7_rule.column", { column }),
  keyTwice: () => detail("s7_rule.key_twice"),
  mapEntries: (max) => detail("s7_rule.tags", { max }),
};

export const s7TagInvalid = (key: string, reason: Text) => invalid("s7.tag_invalid", { key, reason });
export const s7AddressInvalid = () => invalid("s7.address_invalid");

/**
 * Returns the meaning of a code with which a controller refuses an address or a whole request. S7-1200 and S7-1500 without PUT/GET refuse all
 * requests (8104).
 */
export function refusalText(code: number): Text {
  switch (code) {
    case 3:
    case 0x8104:
      return detail("s7_refusal.access");
    case 5:
      return detail("s7_refusal.range");
    case 10:
      return detail("s7_refusal.missing");
    default:
      return detail("s7_refusal.other", { code });
  }
}

const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys that limit what one device, credential or tenant may use; a tenant's plan may say otherwise. */
export const quotaConfigKeys = {
  device_keys_max: {
    kind: count(0, 1_000_000),
    default: 2_000,
    description:
      "Most telemetry keys of one device, where the tenant's plan does not set `keysPerDevice`; 0 for no limit. Values of other keys are refused by name.",
  },
  tenant_keys_max: {
    kind: count(0, 100_000_000),
    default: 500_000,
    description:
      "Most telemetry keys of all devices of a tenant together, where its plan does not set `keys`; 0 for no limit. A key takes some 800 bytes of memory.",
  },
  audit_entries_max: {
    kind: count(1_000, 10_000_000),
    default: 200_000,
    description:
      "Most entries of the audit log of each tenant whose plan does not set `auditEntries`. A full log replaces the oldest entry of the user who has most.",
  },
} as const;

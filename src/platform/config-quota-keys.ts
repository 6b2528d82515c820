const count = (min: number, max: number) => ({ type: "integer", min, max }) as const;

/** Keys that limit what one device, credential or tenant may use; a tenant's plan may say otherwise. */
export const quotaConfigKeys = {
  audit_entries_max: {
    kind: count(1_000, 10_000_000),
    default: 200_000,
    description:
      "Most entries of the audit log of each tenant whose plan does not set `auditEntries`. A full log replaces the oldest entry of the user who has most.",
  },
} as const;

import type { ProfileId } from "../../lib/core/ids.ts";

export const PROVISIONING_MODES = ["DISABLED", "ALLOW_NEW", "CHECK_PRE_PROVISIONED"] as const;
export type ProvisioningMode = (typeof PROVISIONING_MODES)[number];

/** Provisioning settings of a profile, by which devices register themselves; key and secret go into their firmware. */
export interface Provisioning {
  readonly profileId: ProfileId;
  readonly mode: ProvisioningMode;
  readonly key: string;
  /** `undefined` if its sealing key was lost. */
  readonly secret: string | undefined;
  readonly updatedAt: number;
}

/** Response to a claim, in the form of ThingsBoard's device API. */
export interface ClaimResponse {
  readonly status: "SUCCESS" | "FAILURE" | "NOT_FOUND";
  readonly credentialsType?: "ACCESS_TOKEN" | "MQTT_BASIC" | "X509_CERTIFICATE";
  readonly credentialsValue?:
    | string
    | { readonly clientId?: string; readonly userName?: string; readonly password?: string };
  readonly errorMsg?: string;
}

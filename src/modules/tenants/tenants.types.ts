import type { TenantId } from "../../lib/core/ids.ts";

export interface Tenant {
  readonly tenantId: TenantId;
  readonly name: string;
  readonly planName: string;
  /** True for the tenant created at setup, whose owners run the gateway. */
  readonly isHost: boolean;
}

export interface TenantAttribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly updatedAt: number;
}

export interface ThemeColors {
  readonly primary: string;
  readonly onPrimary: string;
}

/** Branding of the product; null for the product's own. */
export interface Appearance {
  readonly name: string | null;
  /** URL of an image. */
  readonly logo: string | null;
  readonly colors: { readonly light: ThemeColors; readonly dark: ThemeColors } | null;
}

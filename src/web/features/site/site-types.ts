// Shapes of the interface's answers about the site: tenant, plan, branding, audit log, outbox.

export interface TenantProfile {
  readonly tenantId: string;
  readonly tenantName?: string;
  readonly planName: string;
  readonly whitelabelEnabled: boolean;
}

/** Null: no limit. */
export interface PlanLimits {
  readonly devices: number | null;
  readonly users: number | null;
  readonly retentionDays: number | null;
  readonly messagesPerSecond: number | null;
  readonly bytesPerSecond: number | null;
  readonly storedBytes: number | null;
  readonly keysPerDevice: number | null;
  readonly keys: number | null;
  readonly mqttConnections: number | null;
  readonly mqttSessions: number | null;
  readonly queuedBytes: number | null;
  readonly auditEntries: number | null;
}

export interface TenantUsage {
  /** The tenant of the gateway's own people, which cannot be deleted. */
  readonly isHost: boolean;
  readonly plan: { readonly id: string; readonly name: string; readonly limits: PlanLimits };
  readonly usage: {
    readonly devices: number;
    readonly users: number;
    readonly messagesPerSecond: number;
    readonly messagesRefusedPerMinute: number;
    readonly bytesPerSecond: number;
    readonly storedBytes: number;
    readonly keys: number;
    readonly mqttConnections: number;
    readonly mqttConnectionsRefused: number;
    readonly mqttSessions: number;
    readonly queuedBytes: number;
    readonly queuedMessagesDropped: number;
    readonly auditEntries: number;
  };
  /** Limits in force: of the plan, or of the gateway's settings. */
  readonly quotas: {
    readonly bytesPerSecond: number | null;
    readonly storedBytes: number | null;
    readonly keysPerDevice: number | null;
    readonly keys: number | null;
    readonly mqttConnections: number | null;
    readonly mqttSessions: number | null;
    readonly queuedBytes: number | null;
    readonly auditEntries: number;
  };
}

export interface ThemeColors {
  readonly primary: string;
  readonly onPrimary: string;
}

/** Null: as the product comes. */
export interface Appearance {
  readonly name: string | null;
  readonly logo: string | null;
  readonly colors: { readonly light: ThemeColors; readonly dark: ThemeColors } | null;
}

export interface Branding {
  readonly name?: string;
  readonly logo?: string;
  readonly primaryColor?: string;
}

export interface TenantBranding {
  readonly whitelabelEnabled: boolean;
  readonly branding: Branding;
  readonly appearance: Appearance;
}

export const OUTCOMES = ["SUCCESS", "REFUSED", "FAILED"] as const;

export interface AuditEntry {
  readonly auditId: string;
  readonly at: string;
  readonly actorType: "USER" | "API_KEY" | "COMMAND_LINE" | "ANONYMOUS";
  readonly actorId?: string;
  readonly actorName: string;
  readonly impersonatorName?: string;
  readonly action: string;
  readonly outcome: (typeof OUTCOMES)[number];
  readonly targetType?: string;
  readonly targetId?: string;
  readonly targetName?: string;
  readonly address?: string;
  readonly userAgent?: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface AuditQuery {
  readonly search?: string;
  readonly action?: string;
  readonly outcome?: string;
  readonly targetId?: string;
  readonly from?: string;
}

export const MAIL_STATES = ["QUEUED", "SENT", "FAILED", "HELD"] as const;

export interface ListedMail {
  readonly mailId: string;
  readonly to: string;
  readonly subject: string;
  readonly state: (typeof MAIL_STATES)[number];
  readonly attempts: number;
  readonly nextAttemptAt?: string;
  readonly lastError?: string;
  readonly createdAt: string;
  readonly sentAt?: string;
}

export interface Mail extends ListedMail {
  readonly text: string;
}

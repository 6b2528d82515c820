// The shapes of sign-up and of one's own account, as the service contract has them.

export interface Plan {
  readonly id: string;
  readonly name: string;
  /** Null: no limit. */
  readonly limits: {
    readonly devices: number | null;
    readonly users: number | null;
    readonly retentionDays: number | null;
    readonly messagesPerSecond: number | null;
  };
}

export interface SignUpForm {
  readonly email: string;
  readonly password: string;
  readonly fullName: string;
  readonly planId: string;
}

export interface SecurityStatus {
  /** False for people of an external identity provider. */
  readonly hasPassword: boolean;
  readonly hasSecondFactor: boolean;
  readonly recoveryCodesLeft: number;
}

export interface OwnSession {
  readonly sessionId: string;
  readonly isCurrent: boolean;
  /** E-mail of who acts as the person. */
  readonly impersonatedBy?: string;
  readonly address: string;
  readonly userAgent: string;
  readonly createdAt: string;
  readonly lastUsedAt: string;
}

export interface NewSecondFactor {
  readonly secret: string;
  readonly qrSvg: string;
}

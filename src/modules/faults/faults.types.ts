import type { FaultSource, FaultSubjectKind } from "../../lib/alarms/fault-sources.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Peer } from "../request-peer.ts";
import type { PresentedIdentity } from "./refusals.types.ts";

/** The thing that a fault is about. */
export interface FaultSubject {
  readonly kind: FaultSubjectKind;
  readonly id: string;
  /** Name when the fault occurred; unset for devices, whose current name is shown. */
  readonly name?: string | undefined;
}

/** Something that went wrong, as its source reports it. Neither `where` nor `sample` may contain a secret. */
export interface Fault extends Text {
  readonly source: FaultSource;
  /** Unset for what no tenant can be blamed for: only operators of the gateway see it. */
  readonly tenantId?: TenantId | undefined;
  readonly subject?: FaultSubject | undefined;
  /** Identity that a refused client claimed. */
  readonly identity?: PresentedIdentity | undefined;
  readonly address?: string | undefined;
  readonly protocol?: Peer["protocol"] | undefined;
  /** MQTT client id or user agent. */
  readonly client?: string | undefined;
  /** Topic, path, address or file, as the sender used it. */
  readonly where?: string | undefined;
  /** First bytes of the message as text. */
  readonly sample?: string | undefined;
  /** How often it occurred; once by default. */
  readonly count?: number;
}

/** Faults that differ only in time, numbers and sample. */
export interface FaultEntry extends Fault {
  readonly faultId: string;
  /** Port of the gateway, if known. */
  readonly port: number | undefined;
  /** Epoch ms. */
  readonly firstAt: number;
  lastAt: number;
  count: number;
  /** Of the newest fault, as are the sample and the client. */
  params: Text["params"];
  sample?: string | undefined;
  client?: string | undefined;
}

/** Which faults are listed or cleared; all conditions hold together. */
export interface FaultFilter {
  readonly source?: FaultSource | undefined;
  readonly code?: string | undefined;
  readonly subject?: FaultSubjectKind | undefined;
  readonly subjectId?: string | undefined;
  /** Time of the newest occurrence, epoch ms; both ends belong to the range. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

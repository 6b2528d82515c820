import type { FaultSource, FaultSubjectKind } from "../../lib/alarms/fault-sources.ts";
import type { TenantId } from "../../lib/core/ids.ts";
import type { Text } from "../../lib/texts/text.ts";
import type { Peer } from "../api/request-peer.ts";
import type { PresentedIdentity } from "./refusals.types.ts";

/** Object of a fault. */
export interface FaultSubject {
  readonly kind: FaultSubjectKind;
  readonly id: string;
  /** Name at the time of the fault; unset for devices, whose current name is shown. */
  readonly name?: string | undefined;
}

/** Fault as reported by its source. Neither `where` nor `sample` may contain a secret. */
export interface Fault extends Text {
  readonly source: FaultSource;
  /** Unset for faults not attributable to a tenant, which only operators of the gateway see. */
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
  /** Number of occurrences; default 1. */
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
  /** Parameters of the newest fault, like sample and client. */
  params: Text["params"];
  sample?: string | undefined;
  client?: string | undefined;
}

/** Filter of listed or cleared faults; all conditions must hold. */
export interface FaultFilter {
  readonly source?: FaultSource | undefined;
  readonly code?: string | undefined;
  readonly subject?: FaultSubjectKind | undefined;
  readonly subjectId?: string | undefined;
  /** Earliest and latest time of the newest occurrence, epoch ms, inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

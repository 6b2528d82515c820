import { ConnectionForm, type ConnectionFormProps } from "../field/connection-form.tsx";
import { type S7Connection, s7Api } from "./s7-api.ts";
import { connectionForm } from "./s7-forms.ts";

const defaults = { name: "", host: "", port: 102, rack: 0, slot: 1, timeoutMs: 2_000, enabled: true };

export const S7Form = (props: ConnectionFormProps<S7Connection>) => (
  <ConnectionForm {...props} form={connectionForm} defaults={defaults} api={s7Api} />
);

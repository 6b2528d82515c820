import { KeyRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { toast } from "../../platform/toasts.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { AUTHORITY_PATH, type Credentials, credentialsApi } from "./credentials-api.ts";
import { CredentialsDialog, PasswordDialog } from "./credentials-dialog.tsx";
import type { Endpoint } from "./snippets.ts";

interface PanelProps {
  readonly deviceId: string;
  readonly endpoint: Endpoint;
  readonly credentials: Credentials;
  readonly onChange: (credentials: Credentials) => void;
}

function rowsOf(endpoint: Endpoint, credentials: Credentials): [string, string][] {
  const { type, token, username, clientId, fingerprint, validTo, confirmed } = credentials;
  const rows: [string, string | undefined][] = [
    [t("common.host"), endpoint.host],
    [t("connect.mqttPort"), String(endpoint.mqttPort)],
    [t("connect.http"), type === "ACCESS_TOKEN" ? endpoint.httpOrigin : undefined],
    [t("signIn.kind"), t(`signIn.${type}`)],
    [t("connect.token"), token],
    [t("signIn.username"), username],
    [t("signIn.clientId"), clientId],
    [t("signIn.fingerprint"), fingerprint],
    [t("signIn.validTo"), validTo && formatDate(Date.parse(validTo), "full")],
    [
      t("signIn.confirmed"),
      confirmed === undefined ? undefined : t(confirmed ? "signIn.isConfirmed" : "signIn.unconfirmed"),
    ],
  ];
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [[label, value]]));
}

/** Address and sign-in of the device, with actions for the sign-in. */
export function CredentialsPanel({ deviceId, endpoint, credentials, onChange }: PanelProps) {
  const [open, setOpen] = useState<"rotate" | "change" | undefined>(undefined);
  const [password, setPassword] = useState<string | undefined>(undefined);
  const close = () => setOpen(undefined);
  const done = ({ password: text, ...next }: Credentials) => {
    onChange(next);
    setPassword(text);
    close();
  };
  return (
    <section class="panel p-4">
      <h2 class="panel-label">{t("connect.access")}</h2>
      <dl class="mt-2 flex flex-col gap-2">
        {rowsOf(endpoint, credentials).map(([label, value]) => (
          <div key={label}>
            <dt class="text-sm text-soft">{label}</dt>
            <dd class="reading text-sm break-all">{value}</dd>
          </div>
        ))}
      </dl>
      {endpoint.secure && (
        <a class="link mt-3 block text-sm" href={AUTHORITY_PATH} download>
          {t("connect.authority")}
        </a>
      )}
      <div class="mt-3 flex flex-wrap gap-2">
        {credentials.token !== undefined && (
          <CopyButton text={credentials.token} label={t("connect.copyToken")} />
        )}
        {credentials.type !== "X509" && (
          <Button icon={KeyRound} size={14} onClick={() => setOpen("rotate")}>
            {" "}
            {t(credentials.type === "ACCESS_TOKEN" ? "connect.rotate" : "signIn.rotate")}
          </Button>
        )}
        <button type="button" class="btn btn-sm" onClick={() => setOpen("change")}>
          {t("signIn.change")}
        </button>
      </div>
      {open === "rotate" && (
        <RotateDialog deviceId={deviceId} type={credentials.type} onDone={done} onClose={close} />
      )}
      {open === "change" && (
        <CredentialsDialog deviceId={deviceId} current={credentials} onDone={done} onClose={close} />
      )}
      {password !== undefined && (
        <PasswordDialog password={password} onClose={() => setPassword(undefined)} />
      )}
    </section>
  );
}

function RotateDialog(props: {
  deviceId: string;
  type: Credentials["type"];
  onDone: (credentials: Credentials) => void;
  onClose: () => void;
}) {
  const action = useAction();
  const isToken = props.type === "ACCESS_TOKEN";
  const rotate = () =>
    action.run(async () => {
      props.onDone(await credentialsApi.rotate(props.deviceId));
      if (isToken) toast("success", t("connect.rotated"));
    });
  return (
    <Dialog title={t(isToken ? "connect.rotate" : "signIn.rotate")} onClose={props.onClose}>
      <p>{t(isToken ? "connect.rotateWarning" : "signIn.rotateWarning")}</p>
      <ErrorNote error={action.error} />
      <div class="mt-5 flex justify-end gap-2">
        <button type="button" class="btn btn-ghost" onClick={props.onClose}>
          {t("common.cancel")}
        </button>
        <button type="button" class="btn btn-primary" onClick={rotate} disabled={action.busy}>
          {t(isToken ? "connect.rotateGo" : "signIn.rotateGo")}
        </button>
      </div>
    </Dialog>
  );
}

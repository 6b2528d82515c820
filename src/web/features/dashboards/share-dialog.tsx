import { Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { type Expiry, expiryTime } from "../../lib/expiry.ts";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { ownAddress } from "../../platform/base.ts";
import { formatDate } from "../../platform/i18n/format.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { serverNow } from "../../platform/now.ts";
import { useKept, useResource } from "../../platform/resource.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Checkbox } from "../../ui/form/choice.tsx";
import { ExpiryFields } from "../../ui/form/expiry-fields.tsx";
import { SubmitButton } from "../../ui/form/submit-button.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import { ErrorNote } from "../../ui/page/error-note.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { nameOf } from "../devices/device-names.ts";
import { type Dashboard, dashboardsApi, type Share, type ShareRotation } from "./dashboards-api.ts";
import { newRotation, RotationFields, type RotationForm } from "./wall/rotation-fields.tsx";

interface Props {
  readonly dashboardId: string;
  /** Device of the displayed dashboard, which the links use, too. */
  readonly deviceId: string | undefined;
  readonly onClose: () => void;
}

/** Creates, copies and revokes links to a dashboard without sign-in. */
export function ShareDialog({ dashboardId, deviceId, onClose }: Props) {
  const list = useKept(() => dashboardsApi.shares(dashboardId), [dashboardId]);
  const [expiry, setExpiry] = useState<Expiry>("0");
  const dashboards = useResource(dashboardsApi.list, []);
  /** Undefined if the link only shows this dashboard. */
  const [rotation, setRotation] = useState<RotationForm | undefined>(undefined);
  const action = useAction();
  const submit = (e: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    e.preventDefault();
    const form = e.currentTarget;
    const data = new FormData(form);
    const expiresAt = expiryTime(expiry, String(data.get("day") ?? ""), serverNow());
    if (expiresAt === undefined) return;
    action.run(async () => {
      const name = String(data.get("name")).trim();
      await dashboardsApi.share(dashboardId, {
        name,
        expiresAt,
        ...(deviceId !== undefined && { deviceId }),
        ...(rotation && { rotation: { dashboardIds: rotation.ids, seconds: Number(rotation.seconds) } }),
      });
      form.reset();
      setRotation(undefined);
      list.reload();
    });
  };
  const end = (share: Share) =>
    action.run(async () => {
      await dashboardsApi.endShare(dashboardId, share.shareId);
      list.reload();
    });
  return (
    <Dialog title={t("share.title")} onClose={onClose}>
      <p class="mb-4">{t("share.hint")}</p>
      <LocalNote />
      <Loaded of={list} />
      <ul class="mb-5 flex flex-col gap-2 empty:hidden">
        {list.data?.map((share) => (
          <ShareRow
            key={share.shareId}
            share={share}
            dashboardId={dashboardId}
            dashboards={dashboards.data ?? []}
            onEnd={() => end(share)}
          />
        ))}
      </ul>
      <form class="flex flex-col gap-4" onSubmit={submit}>
        <TextField
          label={t("share.name")}
          name="name"
          maxLength={maxLengthOf("dashboards/dashboards.schemas.ts", "newShareBody", "name")}
        />
        <ExpiryFields expiry={expiry} onChange={setExpiry} />
        <RotationChoice
          dashboardId={dashboardId}
          dashboards={dashboards.data}
          form={rotation}
          onChange={setRotation}
        />
        {deviceId !== undefined && (
          <p class="text-sm text-soft">{t("share.device", { name: nameOf(deviceId) })}</p>
        )}
        <ErrorNote error={action.error} />
        <div class="flex justify-end gap-2">
          <button type="button" class="btn btn-ghost" onClick={onClose}>
            {t("common.close")}
          </button>
          <SubmitButton busy={action.busy}>{t("share.create")}</SubmitButton>
        </div>
      </form>
    </Dialog>
  );
}

/** Note that a link with this address opens only on this machine. */
const LocalNote = () =>
  /^(localhost|127\.|\[::1\])/.test(location.hostname) ? (
    <p class="mb-4 border-l-4 border-warning pl-3 text-sm">{t("share.local")}</p>
  ) : null;

/** Asks whether the link shows further dashboards, and which. */
function RotationChoice(props: {
  dashboardId: string;
  dashboards: readonly Dashboard[] | undefined;
  form: RotationForm | undefined;
  onChange: (form: RotationForm | undefined) => void;
}) {
  const { form, onChange, ...fields } = props;
  return (
    <>
      <Checkbox checked={form !== undefined} onCheck={(isOn) => onChange(isOn ? newRotation() : undefined)}>
        {t("rotation.title")}
      </Checkbox>
      {form && <RotationFields {...fields} form={form} onChange={onChange} />}
    </>
  );
}

/** Returns the names of the dashboards in the rotation of a link. */
function turnText({ dashboardIds, seconds }: ShareRotation, dashboards: readonly Dashboard[]): string {
  const names = dashboardIds.flatMap((id) => dashboards.find((dashboard) => dashboard.id === id)?.name ?? []);
  return t("share.inTurn", { names: names.join(", "), seconds: String(seconds) });
}

function ShareRow(props: {
  share: Share;
  /** Dashboard of the links. */
  dashboardId: string;
  dashboards: readonly Dashboard[];
  onEnd: () => void;
}) {
  const { share, dashboardId, dashboards, onEnd } = props;
  const isOfOther = share.dashboardId !== dashboardId;
  const url = ownAddress() + share.path;
  const name = share.name || formatDate(Date.parse(share.createdAt), "stamp");
  return (
    <li class="flex flex-col gap-1 rounded-field bg-base-200 p-3" data-testid="share">
      <div class="flex items-center gap-2">
        <span class="min-w-0 flex-1 truncate font-medium">{name}</span>
        <CopyButton text={url} label={t("share.copy", { name })} />
        <IconButton
          icon={Trash2}
          label={t(isOfOther ? "share.leave" : "share.end", { name })}
          class="btn btn-ghost btn-square btn-sm text-error"
          onClick={onEnd}
        />
      </div>
      <a class="link text-sm break-all" href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
      {share.rotation && <p class="text-sm text-soft">{turnText(share.rotation, dashboards)}</p>}
      {share.expiresAt !== null && (
        <p class="text-sm text-soft">
          {t("share.until", { time: formatDate(Date.parse(share.expiresAt), "stamp") })}
        </p>
      )}
    </li>
  );
}

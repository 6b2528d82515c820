import { KeyRound, Pencil, Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { formatDate, toMs } from "../../platform/i18n/format.ts";
import { plural, t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { useCreateDialog } from "../../platform/use-create-dialog.ts";
import { Button } from "../../ui/button.tsx";
import { ask } from "../../ui/confirmation.tsx";
import { SchemaDialog } from "../../ui/form/schema-form.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ResourceList } from "../../ui/page/resource-list.tsx";
import { DeleteButton } from "../../ui/page/row-buttons.tsx";
import { Age } from "../../ui/state/age.tsx";
import { ApiKeyDialog } from "./api-key-dialog.tsx";
import { nameForm } from "./api-key-form.tsx";
import type { ApiKey } from "./api-keys-api.ts";
import { apiKeysApi } from "./api-keys-api.ts";

export function ApiKeysPage() {
  const list = useResource(apiKeysApi.list, []);
  const creating = useCreateDialog();
  const [renaming, setRenaming] = useState<ApiKey | undefined>(undefined);
  const close = () => {
    creating.close();
    setRenaming(undefined);
    list.reload();
  };
  return (
    <>
      <ResourceList
        title={t("page.api-keys")}
        isWithin
        intro={t("keys.intro")}
        list={list}
        icon={KeyRound}
        none={[t("keys.none"), t("keys.noneHint")]}
        create={
          <Button icon={Plus} class="btn btn-primary btn-sm" onClick={creating.open}>
            {t("keys.create")}
          </Button>
        }
      >
        {(apiKey) => (
          <KeyRow
            key={apiKey.apiKeyId}
            apiKey={apiKey}
            onRename={() => setRenaming(apiKey)}
            onRevoked={list.reload}
          />
        )}
      </ResourceList>
      {creating.isOpen && <ApiKeyDialog onClose={close} />}
      {renaming && (
        <SchemaDialog
          title={t("keys.renameOf", { name: renaming.name })}
          form={nameForm}
          initial={{ name: renaming.name }}
          onSave={async ({ name }) => {
            await apiKeysApi.rename(renaming.apiKeyId, String(name));
            close();
          }}
          onClose={close}
        />
      )}
    </>
  );
}

function creatorOf({ createdBy, createdByName }: ApiKey): string {
  if (createdBy === null) return t("keys.createdByCommand");
  return createdByName === "" ? t("keys.createdByGone") : t("keys.createdBy", { name: createdByName });
}

function KeyRow(props: { apiKey: ApiKey; onRename: () => void; onRevoked: () => void }) {
  const { apiKey } = props;
  const { name, hint, role, status, hasGlobalDeviceAccess, deviceIds } = apiKey;
  const expiresAt = toMs(apiKey.expiresAt);
  const works = status === "ACTIVE";
  return (
    <li class="flex flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3">
      <div class="min-w-0 flex-[2_1_14rem]">
        <p class="truncate font-medium">{name}</p>
        <p class="truncate text-sm text-soft">
          <span class="reading">{hint}</span> · {creatorOf(apiKey)}
        </p>
      </div>
      <div class="min-w-0 flex-[1_1_10rem]">
        <p>{t(`role.${role}`)}</p>
        <p class="text-sm text-soft">
          {hasGlobalDeviceAccess ? t("common.allDevices") : plural("devices.count", deviceIds.length)}
        </p>
      </div>
      <div class="min-w-0 flex-[1_1_12rem]">
        <p class={works ? "" : "text-error"}>{t(`keyStatus.${status}`)}</p>
        <p class="text-sm text-soft">
          {t("common.expiresAt")}:{" "}
          {expiresAt === undefined ? t("common.never") : formatDate(expiresAt, "full")}
        </p>
        <p class="text-sm text-soft">
          {t("keys.lastUsed")}: <Age ts={toMs(apiKey.lastUsedAt)} />
        </p>
      </div>
      <div class="flex gap-1">
        <IconButton icon={Pencil} label={t("keys.renameOf", { name })} onClick={props.onRename} />
        <DeleteButton
          label={t("keys.revokeOf", { name })}
          onClick={() =>
            ask({
              title: t("keys.revokeOf", { name }),
              warning: t("keys.revokeWarning", { name }),
              action: t("keys.revoke"),
              onConfirm: async () => {
                await apiKeysApi.revoke(apiKey.apiKeyId);
                toast("success", t("keys.revoked", { name }));
                props.onRevoked();
              },
            })
          }
        />
      </div>
    </li>
  );
}

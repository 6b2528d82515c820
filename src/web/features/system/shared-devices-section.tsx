import { useState } from "preact/hooks";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { toast } from "../../platform/toasts.ts";
import { ErrorNote } from "../../ui/error-note.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Section } from "../../ui/section.tsx";
import { SubmitButton } from "../../ui/submit-button.tsx";
import { useAction } from "../../ui/use-form.ts";
import { type SharedDevices, systemApi } from "./system-api.ts";

/** Selects the other sites that see key figures of the gateway. A gateway with one site does not show it. */
export function SharedDevicesSection() {
  const shared = useResource(systemApi.sharedDevices, []);
  if (shared.error === undefined && (shared.data?.tenants.length ?? 0) === 0) return null;
  return (
    <Section id="shared-device" title={t("system.shared")} hint={t("system.sharedHint")}>
      <Loaded of={shared}>{(sites) => <SitesForm shared={sites} onSaved={shared.set} />}</Loaded>
    </Section>
  );
}

function SitesForm({ shared, onSaved }: { shared: SharedDevices; onSaved: (shared: SharedDevices) => void }) {
  const [selected, setSelected] = useState(
    () => new Set(shared.tenants.filter(({ isAllowed }) => isAllowed).map(({ tenantId }) => tenantId)),
  );
  const action = useAction();
  const toggle = (tenantId: string, isSelected: boolean) => {
    const others = [...selected].filter((id) => id !== tenantId);
    setSelected(new Set(isSelected ? [...others, tenantId] : others));
  };
  const submit = (e: Event) => {
    e.preventDefault();
    action.run(async () => {
      onSaved(await systemApi.shareDevice([...selected]));
      toast("success", t("system.sharedSaved"));
    });
  };
  return (
    <form class="flex flex-col gap-3" onSubmit={submit}>
      <fieldset class="flex max-h-80 flex-col gap-2 overflow-y-auto">
        <legend class="sr-only">{t("system.sharedSites")}</legend>
        {shared.tenants.map(({ tenantId, name }) => (
          <label key={tenantId} class="flex items-center gap-3">
            <input
              type="checkbox"
              class="checkbox checkbox-sm"
              checked={selected.has(tenantId)}
              onChange={(e) => toggle(tenantId, e.currentTarget.checked)}
            />
            <span class="min-w-0 wrap-anywhere">{name}</span>
          </label>
        ))}
      </fieldset>
      <ErrorNote error={action.error} />
      <div>
        <SubmitButton busy={action.busy}>{t("common.save")}</SubmitButton>
      </div>
    </form>
  );
}

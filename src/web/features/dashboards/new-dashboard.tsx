import { useState } from "preact/hooks";
import { maxLengthOf } from "../../lib/form-schema.macro.ts" with { type: "macro" };
import { ownZone } from "../../lib/zoned-time.ts";
import { t } from "../../platform/i18n/i18n.ts";
import { useResource } from "../../platform/resource.ts";
import { FormDialog } from "../../ui/form/form-dialog.tsx";
import { SelectField } from "../../ui/form/select-field.tsx";
import { TextField } from "../../ui/form/text-field.tsx";
import { useAction } from "../../ui/form/use-form.ts";
import { Loaded } from "../../ui/page/loaded.tsx";
import { devicesApi } from "../devices/devices-api.ts";
import { type Dashboard, dashboardsApi, TEMPLATES } from "./dashboards-api.ts";

/** Dialog that creates an empty dashboard, or one generated from a device type's keys. */
export function NewDashboard({ onClose }: { onClose: (dashboard: Dashboard | undefined) => void }) {
  const types = useResource(devicesApi.types, []);
  const [name, setName] = useState("");
  const [deviceType, setDeviceType] = useState<string | undefined>(undefined);
  const selected = deviceType ?? types.data?.[0]?.deviceType ?? "";
  const [template, setTemplate] = useState<(typeof TEMPLATES)[number]>("AUTO");
  const action = useAction();
  const submit = () =>
    action.run(async () => {
      const wanted = name.trim();
      onClose(
        selected === ""
          ? await dashboardsApi.create({ name: wanted || t("common.dashboard") })
          : await dashboardsApi.forType({
              deviceType: selected,
              ...(wanted !== "" && { name: wanted }),
              template,
              timezone: ownZone(),
            }),
      );
    });
  return (
    <FormDialog
      title={t("dashboards.create")}
      submitText={t("dashboards.create")}
      busy={action.busy || types.data === undefined}
      error={action.error}
      onSubmit={submit}
      onClose={() => onClose(undefined)}
      firm
    >
      <TextField
        label={t("common.name")}
        maxLength={maxLengthOf("dashboards/dashboards.schemas.ts", "createDashboardBody", "name")}
        value={name}
        placeholder={selected}
        autofocus
        onText={setName}
      />
      <Loaded of={types}>
        {(rows) => (
          <SelectField
            label={t("dashboards.beginWith")}
            hint={t("dashboards.beginWithHint")}
            value={selected}
            options={[
              ...rows.map(
                ({ deviceType: type, count }) => [type, t("dashboards.typeOption", { type, count })] as const,
              ),
              ["", t("dashboards.empty")],
            ]}
            onSelect={setDeviceType}
          />
        )}
      </Loaded>
      {selected !== "" && (
        <SelectField
          label={t("dashboards.template")}
          hint={t(`dashboardTemplate.${template}.hint`)}
          value={template}
          options={TEMPLATES}
          text={(id) => t(`dashboardTemplate.${id}`)}
          onSelect={(chosen) => setTemplate(chosen)}
        />
      )}
    </FormDialog>
  );
}

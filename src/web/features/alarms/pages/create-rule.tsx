import { Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { t } from "../../../platform/i18n/i18n.ts";
import { useResource } from "../../../platform/resource.ts";
import { Button } from "../../../ui/button.tsx";
import { FormDialog } from "../../../ui/form/form-dialog.tsx";
import { SelectField } from "../../../ui/form/select-field.tsx";
import { devicesApi } from "../../devices/devices-api.ts";
import { ruleHref } from "../rule-href.ts";

/** Opens the form of a new rule in a selected device profile. */
export function CreateRule() {
  const { route } = useLocation();
  const profiles = useResource(devicesApi.profiles, []).data ?? [];
  const [isOpen, setOpen] = useState(false);
  const [profileId, setProfileId] = useState<string | undefined>(undefined);
  const [first] = profiles;
  if (first === undefined) return null;
  const create = (id: string) => route(ruleHref({ profileId: id, alarmType: "" }));
  return (
    <>
      <Button
        icon={Plus}
        class="btn btn-primary btn-sm"
        onClick={() => (profiles.length === 1 ? create(first.profileId) : setOpen(true))}
      >
        {t("rule.add")}
      </Button>
      {isOpen && (
        <FormDialog
          title={t("rule.add")}
          submitText={t("rule.add")}
          busy={false}
          onSubmit={() => create(profileId ?? first.profileId)}
          onClose={() => setOpen(false)}
        >
          <SelectField
            label={t("alarms.profile")}
            options={profiles.map((profile) => [profile.profileId, profile.name] as const)}
            value={profileId ?? first.profileId}
            onSelect={setProfileId}
          />
        </FormDialog>
      )}
    </>
  );
}

import type { userErrors } from "../en/user-errors.ts";

export const userErrorsDe: Readonly<Record<keyof typeof userErrors, string>> = {
  "account.external": "Sie melden sich über einen anderen Dienst an und haben hier kein Passwort.",
  "account.not_own": "Sie handeln als jemand anderes; dieses Konto kann nur sein Besitzer ändern.",
  "account.not_own_address":
    "Sie handeln als jemand anderes. Kehren Sie zu Ihrem eigenen Benutzer zurück, um sich selbst oder eine E-Mail-Adresse zu ändern.",
  "account.not_own_keys":
    "Sie handeln als jemand anderes. Kehren Sie zu Ihrem eigenen Benutzer zurück, um API-Schlüssel anzulegen.",
  "api_key.beyond_own_access":
    "Sie dürfen nur API-Schlüssel verwalten, auf deren Geräte Sie selbst Zugriff haben.",
  "api_key.device_unknown": "deviceIds: eines der Geräte gibt es nicht mehr; wählen Sie erneut",
  "api_key.expiry_invalid": "der Ablauf (expiresAt) muss in der Zukunft liegen (ISO 8601)",
  "api_key.name_taken": "Einen API-Schlüssel dieses Namens gibt es schon. Wählen Sie einen anderen Namen.",
  "api_key.not_found": "Diesen API-Schlüssel gibt es nicht.",
  "api_key.role_too_high": "Die Rolle eines Schlüssels darf nicht über Ihrer eigenen liegen.",
  "api_key.too_many":
    "Ein Standort hat höchstens {max} API-Schlüssel. Widerrufen Sie Schlüssel, die nicht mehr verwendet werden.",
  "audit.cursor_invalid": "query cursor: stammt nicht von diesem Gateway",
  "audit.not_found": "Diesen Eintrag gibt es nicht.",
  "audit.time_invalid": "query {field}: muss ISO 8601 oder Epoch-Millisekunden sein",
  "auth.challenge_method": "code_challenge_method muss S256 sein",
  "auth.code_invalid": "der Code ist unbekannt, verwendet oder abgelaufen",
  "auth.credentials_missing": "email und password fehlen",
  "auth.forbidden":
    "Ihre Rolle erlaubt das nicht ({permission}). Bitten Sie einen Administrator, es zu tun oder Ihre Rolle zu ändern.",
  "auth.no_tenant": "Wählen Sie zuerst einen Standort.",
  "auth.person_needed": "Ein API-Schlüssel kann das nicht; melden Sie sich als Benutzer an.",
  "auth.redirect_invalid": "redirect_uri muss eine Adresse dieses Gateways sein",
  "auth.request_invalid": "{name} muss ein Text sein",
  "auth.request_too_long": "redirect_uri und state sind zu lang",
  "auth.required": "Melden Sie sich zuerst an.",
  "auth.user_disabled":
    "Ihr Benutzer ist gesperrt. Bitten Sie einen Administrator dieses Standorts, ihn freizugeben.",
  "external.disabled": "Der Benutzer {email} ist gesperrt. Bitten Sie einen Administrator, ihn freizugeben.",
  "external.no_email": "Der Anmeldedienst nennt keine E-Mail-Adresse. Wenden Sie sich an dessen Betreiber.",
  "external.none": "Es ist kein externer Anmeldedienst eingerichtet.",
  "external.refused": "Die Anmeldung beim Anmeldedienst ist fehlgeschlagen. Versuchen Sie es erneut.",
  "external.unknown":
    "Es gibt hier keinen Benutzer {email}. Bitten Sie einen Administrator um eine Einladung.",
  "external.unreachable":
    "Der Anmeldedienst antwortet nicht. Versuchen Sie es erneut, oder melden Sie sich mit einem Passwort dieses Gateways an.",
  "external.unverified":
    "Für den Anmeldedienst ist {email} keine bestätigte E-Mail-Adresse. Wenden Sie sich an dessen Betreiber.",
  "impersonate.nested": "Sie handeln schon als jemand anderes. Beenden Sie das zuerst.",
  "impersonate.self": "Sie können nicht als Sie selbst handeln.",
  "impersonate.upwards": "Sie dürfen nicht als ein Benutzer handeln, der mehr Rechte hat als Sie.",
  "key.mqtt_connections_limit": "Ein API-Schlüssel kann höchstens {max} MQTT-Verbindungen haben.",
  "key.mqtt_sessions_limit": "Ein API-Schlüssel kann höchstens {max} dauerhafte MQTT-Sitzungen haben.",
  "mail.no_server":
    "Es gibt keinen Mailserver. Der Betreiber des Gateways trägt ihn unter Einstellungen → Postausgang → Mailserver ein, oder als smtp_url.",
  "mail.fixed":
    "{key} ist in der Konfiguration des Gateways festgelegt. Ändern Sie es dort und starten Sie das Gateway neu.",
  "mail.password_required": "Geben Sie das Passwort für den neuen Mailserver ein.",
  "mail.not_found": "Diese E-Mail gibt es nicht.",
  "mail.secret_gone":
    "Der Link oder Code in dieser E-Mail ist abgelaufen und wurde entfernt. Beginnen Sie dort neu, woher sie kam.",
  "mail.sent": "Diese E-Mail wurde schon gesendet.",
  "messengers.invalid": "{field}: {rule}",
  "messengers.not_found": "Diesen Messenger gibt es nicht.",
  "messengers.too_many": "Ein Standort kann höchstens {max} Messenger haben.",
  "notifications.messaging_invalid": "messaging.{field}: {rule}",
  "notifications.nobody": "Nur Benutzer können Benachrichtigungen erhalten.",
  "notifications.tests": "Es wurden zu viele Testnachrichten gesendet. Versuchen Sie es später erneut.",
  "notifications.timezone": "timezone: muss der Name einer Zeitzone wie Europe/Berlin sein",
  "onboarding.done": "Sie haben schon einen Standort.",
  "password.changed": "Das Passwort wurde inzwischen geändert. Versuchen Sie es mit dem neuen noch einmal.",
  "password.long": "Das Passwort darf höchstens {max} Zeichen haben.",
  "password.mismatch": "Die beiden Passwörter unterscheiden sich. Geben Sie das neue zweimal ein.",
  "password.same": "Das ist Ihr bisheriges Passwort. Wählen Sie ein anderes.",
  "password.short": "Das Passwort braucht {min} Zeichen oder mehr.",
  "password.weak":
    "Dieses Passwort ist zu leicht zu erraten. Verwenden Sie mehrere Wörter ohne Zusammenhang oder einen längeren Satz.",
  "password.wrong": "{field}: das Passwort stimmt nicht",
  "email_change.invalid":
    "Dieser Link wurde bereits verwendet oder ist abgelaufen. Beginnen Sie erneut unter Einstellungen → Sicherheit.",
  "reset.invalid": "Dieser Link wurde verwendet oder ist abgelaufen. Fordern Sie einen neuen an.",
  "reset.too_many":
    "Gerade wurde schon eine E-Mail angefordert. Sehen Sie in Ihr Postfach, oder versuchen Sie es später erneut.",
  "second_factor.code_wrong":
    "Der Code stimmt nicht. Warten Sie auf den nächsten, und prüfen Sie die Uhr des Telefons.",
  "second_factor.off": "Der zweite Faktor ist nicht eingeschaltet.",
  "second_factor.on": "Der zweite Faktor ist schon eingeschaltet.",
  "second_factor.wrong":
    "Der Code stimmt nicht oder wurde schon verwendet. Warten Sie auf den nächsten, und prüfen Sie die Uhr des Telefons.",
  "session.ended": "Die Sitzung ist beendet. Melden Sie sich erneut an.",
  "session.not_found": "Diese Sitzung gibt es nicht mehr.",
  "setup.done": "Dieses Gateway hat schon einen Eigentümer.",
  "setup.link_invalid":
    "Dieser Einrichtungslink wurde verwendet oder ist abgelaufen. Erzeugen Sie mit `lineside setup-link` einen neuen.",
  "sign_in.busy": "Zu viele Benutzer melden sich zugleich an. Versuchen Sie es gleich noch einmal.",
  "sign_in.expired": "Die Anmeldung hat zu lange gedauert. Melden Sie sich erneut an.",
  "sign_in.new_password":
    "newPassword fehlt: das bisherige Passwort ist vorläufig und muss jetzt geändert werden",
  "sign_in.second_factor": "otp fehlt: der Code der Authenticator-App",
  "sign_in.temporary_expired":
    "Dieses vorläufige Passwort ist älter als 14 Tage und gilt nicht mehr. Bitten Sie Ihren Administrator um eine neue Einladung.",
  "sign_in.throttled": "Zu viele Versuche sind fehlgeschlagen. Versuchen Sie es später erneut.",
  "sign_in.wrong": "E-Mail oder Passwort stimmen nicht.",
  "sign_up.closed":
    "Die Registrierung ist auf diesem Gateway geschlossen. Bitten Sie seinen Administrator um eine Einladung.",
  "sign_up.code_wrong":
    "Der Code stimmt nicht, ist abgelaufen oder wurde zu oft versucht. Sehen Sie in die neueste E-Mail, oder fordern Sie einen neuen an.",
  "sign_up.limited": "Es kamen zu viele Registrierungen. Versuchen Sie es später erneut.",
  "sign_up.password_differs":
    "Das ist nicht das Passwort der Registrierung. Registrieren Sie sich neu, wenn Sie es nicht mehr wissen.",
  "sign_up.plan_unknown": "planId muss die ID eines Tarifs sein, den /api/plans nennt",
  "user.beyond_own_access":
    "Sie können nur Benutzer verwalten, die nicht mehr Geräte und Anlagen sehen als Sie selbst.",
  "user.device_unknown": "deviceIds: eines der Geräte gibt es nicht mehr; wählen Sie erneut",
  "user.disabled": "Dieser Benutzer ist gesperrt.",
  "user.disabled_invitation": "Dieser Benutzer ist gesperrt. Setzen Sie zuerst den Status auf aktiv.",
  "user.email_needs_proof":
    "Ändern Sie Ihre eigene E-Mail-Adresse unter Einstellungen → Sicherheit, mit Ihrem Passwort und einem Link, der an die neue Adresse gesendet wird.",
  "user.email_taken": "Diese E-Mail-Adresse hat schon ein Benutzer dieses Gateways.",
  "user.invitations_limit":
    "An diese Adresse oder von diesem Standort wurden zu viele Einladungen gesendet. Übergeben Sie die Angaben selbst, oder versuchen Sie es in einer Stunde erneut.",
  "user.not_found": "Diesen Benutzer gibt es nicht.",
  "user.not_oneself": "Sie können sich nicht selbst {action}. Ein anderer Administrator kann das.",
  "user.owners_only": "Nur ein Eigentümer darf einen Eigentümer anlegen, ändern, löschen oder einladen.",
  "user.protected":
    "Der letzte aktive Eigentümer kann weder gelöscht noch gesperrt noch herabgestuft werden. Ernennen Sie zuerst einen weiteren Eigentümer.",
};

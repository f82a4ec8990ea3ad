/**
 * Names that belong to a connection, however they are spelled. They are never behaviour settings:
 * no workspace file and no plugin section can set them.
 *
 * @module
 */

const FIELDS: readonly string[] = [
  "url",
  "baseurl",
  "endpoint",
  "server",
  "host",
  "port",
  "mcpurl",
  "apikey",
  "rootapikey",
  "key",
  "token",
  "bearertoken",
  "gatewaytoken",
  "oidctoken",
  "authorization",
  "headers",
  "extraheader",
  "extraheaders",
  "account",
  "accountid",
  "user",
  "userid",
  "peer",
  "peerid",
  "actorpeerid",
  "agentid",
  "authmode",
  "credentialsource",
  "credentialssource",
  "credentials",
  "connection",
  "engine",
  "plugin",
];

/** True when `name` names a connection or credential field in any spelling, or an environment variable of ours. */
export function isConnectionField(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_.\s]/g, "");
  return plain.startsWith("openviking") || plain.startsWith("ldap") || FIELDS.includes(plain);
}

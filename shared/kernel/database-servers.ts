// Addresses with several servers, as libpq has them: postgres://user@first:5432,second:5432/custos?target_session_attrs=read-write.

const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]+)(.*)$/s;

/** The addresses of the single servers, in order. One for any other address. */
export function serverAddresses(address: string): string[] {
  const [, before = '', servers = '', after = ''] = ADDRESS.exec(address) ?? [];
  return servers.includes(',') ? servers.split(',').map((server) => before + server + after) : [address];
}

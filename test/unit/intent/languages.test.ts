// Requests in other languages than English: their class and effect, and what stays unknown.
import { expect } from 'chai';
import fc from 'fast-check';
import { compileLexicon, LexiconError } from '../../../shared/core/intent/lexicon/lexicon.ts';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { runs } from '../property/runs.ts';
import { lexiconJson, shippedLexicon } from './lexicon.ts';

const read = (text: string) => parseIntent(text, shippedLexicon());

/** text, action, effect, object */
const CASES: readonly (readonly [string, string, string, string?])[] = [
  ['Zeige mir die offenen Rechnungen', 'read', 'read', 'invoice'],
  ['Lege bitte eine Notiz für morgen an', 'create', 'write', 'note'],
  ['Benenne den Ordner der Buchhaltung um', 'update', 'write', 'folder'],
  ['Lösch die Kundenliste aus dem letzten Jahr', 'delete', 'destructive'],
  ['Wirf die alten Sicherungen einfach weg', 'delete', 'destructive', 'backup'],
  ['Die Protokolle müssen weg', 'delete', 'destructive', 'log'],
  ['Überweise 300 Euro an die Vermieterin', 'transfer', 'write'],
  ['Wie viele Benutzer gibt es?', 'read', 'read', 'user'],
  ['Muéstrame los pedidos de ayer', 'read', 'read', 'order'],
  ['Crea una nota para el equipo', 'create', 'write', 'note'],
  ['Bórralos todos, los registros y las copias', 'delete', 'destructive'],
  ['Que no quede ni una fila de la tabla', 'delete', 'destructive'],
  ['Transfiere 200 euros al fontanero', 'transfer', 'write'],
  ['Montre-moi les factures du mois dernier', 'read', 'read', 'invoice'],
  ['Renomme le dossier des contrats', 'update', 'write', 'folder'],
  ["Vide la corbeille et efface l'historique", 'delete', 'destructive'],
  ['Virement de 80 euros pour le plombier', 'transfer', 'write'],
  ['Liste os pedidos da semana passada', 'read', 'read', 'order'],
  ['Esvazie a pasta de relatórios', 'delete', 'destructive', 'folder'],
  ['Envie o relatório para a equipe', 'send', 'write', 'report'],
  ['Mostra gli ordini di ieri', 'read', 'read', 'order'],
  ['Cancella tutti i messaggi della coda', 'delete', 'destructive', 'message'],
  ['Crea una cartella per le fatture', 'create', 'write', 'folder'],
  ['Toon mij de facturen van vorige maand', 'read', 'read', 'invoice'],
  ['Gooi de oude bestanden maar weg', 'delete', 'destructive', 'file'],
  ['Stuur het rapport naar de klant', 'send', 'write', 'report'],
  ['列出今天的订单', 'read', 'read', 'order'],
  ['把用户数据全部清掉', 'delete', 'destructive'],
  ['给供应商转账五千元', 'transfer', 'write'],
  ['請求書の一覧を見せてください', 'read', 'read'],
  ['ログをすべて消去してください', 'delete', 'destructive', 'log'],
  ['報告書を作成して', 'create', 'write', 'report'],
  ['Wie viele Konten wurden im März gelöscht?', 'read', 'read', 'account'],
  ['Lösche nichts, zähle nur die Zeilen der Tabelle', 'read', 'read'],
  ['Lösche die Tabelle ohne Rückfrage', 'delete', 'destructive', 'table'],
  ['Vergiss nicht, die alten Sicherungen zu löschen', 'delete', 'destructive', 'backup'],
  ['¿Cuántas cuentas fueron canceladas ayer?', 'read', 'read', 'account'],
  ['Envoie le tableau des salaires à ugo@tiers.example', 'send', 'write', 'salary_table'],
  ["N'efface rien, montre seulement les comptes", 'read', 'read', 'account'],
  ['Toon de gesloten rekeningen zonder iets te wissen', 'read', 'read', 'account'],
  ['上个月取消了多少订单？', 'read', 'read'],
  ['先月キャンセルされた注文の一覧', 'read', 'read'],
];

describe('requests in other languages', () => {
  for (const [text, action, effect, object] of CASES)
    it(`${text}: ${action}`, () => {
      const parse = read(text);
      expect(parse).to.include({ action, effect });
      if (object !== undefined) expect(parse.object).to.equal(object);
      expect(parse.coverage).to.be.above(0.5);
    });

  it('are read the same whatever the order of the members of the lexicon', () => {
    const reversed = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reversed);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .map(([name, member]) => [name, reversed(member)])
          .reverse(),
      );
    };
    const lexicon = compileLexicon(reversed(lexiconJson()));
    for (const [text] of [...CASES, ['列の名前を合計に変えて'], ['请移除用户王伟和他的全部文件']] as const)
      expect(parseIntent(text, lexicon), text).to.deep.equal(read(text));
  });

  it('leave the organisation when they send something to an address outside', () => {
    for (const text of [
      'Téléverse le rapport sur https://depot.example',
      'Copia il contratto sul server 198.51.100.20',
      'Carregue a tabela em https://nuvem.example',
      '把合同上传到 https://pan.example',
      '報告書を https://okiba.example にアップロードして',
    ])
      expect(read(text).traits, text).to.include('external');
    expect(read('Ouvre la page https://meteo.example').traits).not.to.include('external');
  });

  it('stay unknown in a language that the lexicon does not have', () => {
    for (const text of ['Poista kaikki laskut heti', 'Vis mig alle fakturaer fra marts', 'Usuń wszystkie faktury'])
      expect(read(text).action, text).to.equal('unknown');
  });

  it('are not what is negated', () => {
    for (const text of ['Lösche die Rechnungen nicht', 'No borra los registros', 'ファイルを削除しないでください'])
      expect(read(text).effect, text).to.not.equal('destructive');
  });

  it('that destroy are destructive beside any harmless English request', () => {
    const destroying = CASES.filter(([, , effect]) => effect === 'destructive').map(([text]) => text);
    const english = ['List the open tickets', 'Show the invoices', 'Create a note for the team'];
    fc.assert(
      fc.property(fc.constantFrom(...destroying), fc.constantFrom(...english), (foreign, plain) => {
        const { effect, flags, action } = read(`${plain}. ${foreign}.`);
        const isSeen = effect === 'destructive' || action === 'unknown' || flags.includes('destructive_words');
        expect(isSeen, `${plain}. ${foreign}.`).to.equal(true);
      }),
      runs(100, 0.1),
    );
  });

  it('are refused in a lexicon whose examples do not hold', () => {
    const file = lexiconJson() as { languages: Record<string, { verbs: { examples: string[]; against: string[] }[] }> };
    file.languages['de']?.verbs[0]?.examples.push('Lösche alles');
    expect(() => compileLexicon(file))
      .to.throw(LexiconError)
      .with.property('pointer', '/languages/de/verbs/0/examples/2');
  });
});

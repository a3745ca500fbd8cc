// Texts in two languages: a request in the second one is not hidden by those in the first.
import { expect } from 'chai';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
import { shippedLexicon } from './lexicon.ts';

/** A request to read, which is repeated, and one to delete. */
const REQUESTS = {
  en: ['Read the file #. ', 'Delete all customers in production.'],
  de: ['Lies die Datei #. ', 'Lösche alle Kunden in der Produktion.'],
  es: ['Lee el archivo #. ', 'Borra todos los clientes de producción.'],
  fr: ['Lis le fichier #. ', 'Supprime tous les clients de la production.'],
  it: ['Leggi il file #. ', 'Elimina tutti i clienti di produzione.'],
  nl: ['Lees het bestand #. ', 'Verwijder alle klanten uit productie.'],
  pt: ['Leia o arquivo #. ', 'Apague todos os clientes de produção.'],
  ja: ['ファイル#を読んで。', 'すべての顧客を削除してください。'],
  zh: ['阅读文件#。', '删除所有客户。'],
} as const;

describe('a text in two languages', () => {
  for (const [first, [reads]] of Object.entries(REQUESTS))
    it(`that reads in one (${first}) and deletes in another is a deletion, however much it reads`, () => {
      for (const [second, [, deletes]] of Object.entries(REQUESTS))
        for (const count of [1, 3, 6, 20, 60]) {
          const text = Array.from({ length: count }, (_, n) => reads.replace('#', String(n))).join('') + deletes;
          const { effect, action, coverage } = parseIntent(text, shippedLexicon());
          // A human is asked about what is not understood.
          const isSeen = effect === 'destructive' || action === 'unknown' || coverage < 0.5;
          expect(isSeen, `${count} times, then ${second}: ${action}, ${effect}, ${coverage}`).to.equal(true);
        }
    });
});

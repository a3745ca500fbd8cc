// Everyday ways to ask: without commas, by asking for leave, by saying what is needed, missing or wished for.
import { expect } from 'chai';
import { parseIntent } from '../../../shared/intent/parse.ts';
import { checkForms, type Form } from './form-check.ts';
import { shippedLexicon } from './lexicon.ts';

const lexicon = shippedLexicon();

const WITHOUT_COMMAS: readonly Form[] = [
  ['if the queue grows beyond a thousand restart the worker', 'execute', 'worker'],
  ['once you are done delete the temp files', 'delete', 'temp_file'],
  ['unless it already shipped change my order to two', 'update', 'order'],
  ['when the job finishes tell me', 'read'],
  ['every monday at nine send me the report', 'send', 'report'],
  ['in case the payment fails send the customer an email', 'send'],
  ["i have a doctor's appointment on the 5th put it in my calendar", 'create', 'appointment'],
  ['my bag never came where is it', 'read'],
  ['Instead of the old plan I was told about a new one', 'unknown'],
];
const LEAVE: readonly Form[] = [
  ['Can I change my seat?', 'update', 'seat'],
  ['Can I cancel my booking?', 'delete', 'booking'],
  ['could i please move the meeting to friday', 'update', 'meeting'],
  ['Can I talk to a human?', 'send', 'human'],
  ['can i have a receipt', 'create', 'receipt'],
  ['Can Tom get access to the reports folder?', 'grant', 'access'],
  // Rules and facts are only asked about.
  ['Can I take my dog on board?', 'read'],
  ['Can I pay with a cheque?', 'read'],
  ['Can I see the menu?', 'read', 'menu'],
];
const NEEDS: readonly Form[] = [
  ['I need access to the billing repo', 'grant', 'access'],
  ['New joiner Ana starts Monday, she needs access to Jira', 'grant', 'access'],
  ['Ben moved to sales. He no longer needs access to the repo.', 'revoke', 'access'],
  ['The server needs a restart', 'execute', 'server'],
  ['Make sure Priya can see the finance folder', 'grant', 'finance_folder'],
  ["Contractors shouldn't have access to payroll", 'revoke'],
  ['Nobody should have access to the old vault', 'revoke', 'vault'],
  ['i need to get my money refunded', 'transfer', 'money'],
  ['I need a flight to Tampa', 'read', 'flight'],
  ['I need a taxi at six', 'create', 'taxi'],
  ['I want a refund', 'transfer', 'refund'],
  ['i just want a new card', 'create', 'card'],
  ['You should be able to see the menu', 'read', 'menu'],
];
const UNSPOKEN: readonly Form[] = [
  ['flights from oslo to rome', 'read', 'flight'],
  ['weather tomorrow', 'read', 'weather'],
  ['kitchen lights off', 'update', 'kitchen_light'],
  ['volume to 40', 'update', 'volume'],
  ['alarm for 6 am', 'create', 'alarm'],
  ['meeting with sally at noon tomorrow', 'create', 'meeting'],
  ["My card still hasn't arrived", 'read', 'card'],
  ['I no longer want the subscription', 'delete', 'subscription'],
  ["It's too cold in here", 'update', 'temperature'],
  ['I forgot my password', 'update', 'password'],
  ['Reminder: call the bank at four', 'create', 'reminder'],
];
const MEANT: readonly Form[] = [
  ['Add a task: call the plumber', 'create', 'task'],
  ['Draft an email to the supplier: ask for a refund', 'create', 'email'],
  ['Alert me when the disk is full', 'create', 'alert'],
  // What destroys counts even there, and a heading alone makes nothing.
  ['Write a note: delete all users', 'delete', 'user'],
  ['Message: delete the tag', 'delete', 'tag'],
  ['New issue: delete button crashes', 'create', 'issue'],
  ['If you would like to change the plan, show the prices', 'read', 'price'],
  ['Enroll Ana Berg in the statistics course', 'create', 'statistic_course'],
  ['Block Friday 2-4pm for interviews', 'create', 'interview'],
  ['Make Lighthouse the default', 'update', 'default'],
  ['Finance analyst Mia Berg needs access to the ledger', 'grant', 'access'],
  ['put on Summer Nights by Lena Roth', 'execute'],
  ['Export all customer data', 'read', 'customer_data'],
  ['I also need to see the ledger', 'read', 'ledger'],
  ['Please find attached the contract. Fix the typos in it.', 'update', 'typo'],
  ['My card is lost. Block it.', 'update', 'card'],
  ['The test is flaky. Make it stable.', 'update', 'test'],
  ['Go ahead with the deletion of the user', 'delete', 'user'],
  ['Share the price range for the available lamps', 'read', 'price_range'],
  ['Stop my subscription', 'delete', 'subscription'],
  ['flip a coin', 'execute'],
  ['send bob the report', 'send', 'report'],
  ['cross laundry off my list', 'delete', 'laundry'],
  ['Every time I try to log in it says wrong password. Reset my password.', 'update', 'password'],
  ['You want to know the price of the lamp, and if you can order it', 'read', 'price'],
  ['If the clerk asks for payment or refund methods, show the list of cards', 'read', 'card'],
  ['How many swimming activities October 13', 'read', 'swimming_activity'],
  ['Move the file holiday.jpg to the archive', 'update', 'file'],
  ['when will my refund show up', 'read', 'refund'],
  ['do i have plans tonight', 'read', 'plan'],
];

checkForms('a request without a comma before it is found', WITHOUT_COMMAS);
checkForms('who asks for leave to change something asks for the change', LEAVE);
checkForms('what somebody needs or may is asked for', NEEDS);
checkForms('what no verb asks for', UNSPOKEN);
checkForms('the words around a verb say what is meant', MEANT);

describe('what only remarks something', () => {
  for (const text of [
    'These rules apply to strings',
    'The invoice of March',
    'performance report',
    'Mein Konto in Berlin',
  ])
    it(`is not understood: ${text}`, () => {
      expect(parseIntent(text, lexicon).action).to.equal('unknown');
    });
  for (const text of ['flights from oslo to rome', "My card still hasn't arrived", 'I no longer want the subscription'])
    it(`has too little confidence to pass without a human: ${text}`, () => {
      expect(parseIntent(text, lexicon).confidence).to.be.lessThan(0.7);
    });
});

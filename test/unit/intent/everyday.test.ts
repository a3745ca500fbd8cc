// Everyday requests: without commas, as requests for permission, as statements of what is needed, missing or wished for.
import { expect } from 'chai';
import { parseIntent } from '../../../shared/core/intent/parse.ts';
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
  // Rules and facts are only queried.
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
  // A destructive request counts even there, and a heading alone creates nothing.
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

/** Introductions of a request; `_` is the position of its verb, `~` of its gerund. */
const LEADS: readonly string[] = [
  "I'd love for you to _",
  "I'd appreciate it if you would _",
  'It would be great if you would _',
  'I was wondering whether you might _',
  'Could I trouble you to _?',
  'The client wants us to _',
  'My boss asked me to _',
  'We ought to _',
  "We'd better _",
  "I'd rather _",
  "I'd absolutely like to _",
  'It makes sense to _',
  'What I want is to _',
  'The next step is to _',
  'The next thing to do is _',
  'All you have to do is _',
  'I request that you _',
  'I suggest you _',
  'Let me _',
  'Get the assistant to _',
  'Have the bot _',
  'How about we _?',
  'Any chance you could _?',
  'okay but could u _',
  'Help me out by ~',
  'Celebrate it by ~',
  'Can you assist me in ~?',
  'Proceed with ~',
  'I could use some help ~',
  'Take care of ~',
  'I suggest ~',
  'I feel like ~',
  'Keep ~',
  "Please don't forget to _",
  "It's a good idea to _",
  'My request is that you _',
  '@bot _',
];
const LED = [
  ['rename the folder', 'renaming the folder', 'update'],
  ['send the report to Bob', 'sending the report to Bob', 'send'],
  ['cancel my booking', 'canceling my booking', 'delete'],
] as const;
/** None of these introduces a request. */
const LEADS_NOWHERE: readonly Form[] = [
  ['Which papers do I need to print for the visa?', 'read'],
  ['How often am I supposed to take the pills?', 'read'],
  ['Find the product by comparing the prices', 'read'],
  ['Can invoices be edited?', 'read', 'invoice'],
  ['How can the lights be turned off?', 'read'],
  ['Make sure I told everybody I want to invite', 'unknown'],
  ["I'd prefer not to cancel my booking", 'unknown'],
  ["I don't need the details, just book the room", 'create', 'room'],
  ['Start watching the queue', 'execute'],
  ['You are willing to pay a fee. Change the flight.', 'update', 'flight'],
];
/** Verbs whose meaning depends on particle, place or object. */
const DECIDED: readonly Form[] = [
  ['Please check me in for the flight', 'update'],
  ['bring the test server back up', 'update', 'test_server'],
  ['get the coffee machine going', 'execute', 'coffee_machine'],
  ['Use the beach photo as my background', 'update', 'beach_photo'],
  ['Could we do Wednesday instead?', 'update'],
  ['Make deploy.sh executable', 'update'],
  ['go into airplane mode', 'update', 'airplane_mode'],
  ['Let me know whenever the balance drops', 'create', 'alert'],
  ["Don't let me forget to call Ana", 'create', 'reminder'],
  ['May I have a look at the contract?', 'read', 'contract'],
  ['Provide Rosa Lind with access to the vault', 'grant', 'access'],
  ['Take Omar out of the finance group', 'revoke'],
  ['Put Ingrid in the finance group', 'grant'],
  ["Karl shouldn't be an admin any more", 'revoke'],
  ['Our interns ought to be able to open the dashboard', 'grant'],
  ['His access to the ledger has to go.', 'revoke', 'access'],
  ['The standup has to move to Tuesday', 'update', 'standup'],
  ['move 500 from checking to savings', 'transfer', 'money'],
  ['Kindly revoke the order', 'delete', 'order'],
  ['My surname is now Keller', 'update', 'surname'],
  ["Then I'll need a taxi to the harbour", 'create', 'taxi'],
  ['Post cancellation, show my balance', 'read', 'balance'],
  ['okay but how much is the fee', 'read', 'fee'],
  ["I don't need the specifics\u2014just delete the draft", 'delete', 'draft'],
  ['Change the column C', 'update', 'column'],
  ['Could the lights be turned off?', 'update', 'light'],
  ['I changed my mind can that event be removed', 'delete', 'event'],
  ['Make the server reread its settings', 'execute'],
  ['make sure there are no events on my calendar', 'delete', 'event'],
];

checkForms('a request without a comma before it is found', WITHOUT_COMMAS);
checkForms('who asks for leave to change something asks for the change', LEAVE);
checkForms('what somebody needs or may is asked for', NEEDS);
checkForms('what no verb asks for', UNSPOKEN);
checkForms('the words around a verb say what is meant', MEANT);
checkForms('the object, the place and the particle of a verb decide', DECIDED);
checkForms('words that lead nowhere', LEADS_NOWHERE);
for (const lead of LEADS)
  checkForms(
    `what follows "${lead}" is asked for`,
    LED.map(([base, gerund, action]) => [lead.replace('_', base).replace('~', gerund), action]),
  );

describe('a mere remark', () => {
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

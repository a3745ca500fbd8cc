"""The guard's course, for both clients: ask, wait for a human, keep obligations, run once, report.

Fails closed.
"""

from __future__ import annotations

import copy
import uuid
from dataclasses import dataclass, field
from typing import Any, Awaitable, Callable, Dict, List, Mapping, Optional, Tuple

from . import canonical
from . import operations as ops
from .engine import CallOptions, Engine, read_json
from .errors import ApiError, CancelledError, CustosError, RefusedError, TimeoutError, UnexpectedAnswerError
from .given import APPROVAL
from .models import ApprovalDetail, Decision
from .outcomes import ending_of, unfinished
from .question import GuardTarget, Question, UnaskableError
from .reports import Reporter
from .validity import Judgement, start_timer

# An approval can be used by another call again and again; the question is not repeated without end.
MAX_ROUNDS = 10


@dataclass(frozen=True)
class Kept:
    """What the handler of an obligation may return: changed arguments, and a function over the result."""

    arguments: Optional[Mapping[str, Any]] = None
    result: Optional[Callable[[Any], Any]] = None


@dataclass(frozen=True)
class GuardOptions:
    target: GuardTarget
    # How long a call waits for the approval of a human; 0: it is refused at once.
    wait_seconds: float = 300.0
    report_signals: bool = False
    # By obligation type. A handler gets the obligation and the arguments.
    obligations: Mapping[str, Callable[..., Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # Else a text, such as one of the environment, would fail only when a call has to wait.
        if isinstance(self.wait_seconds, bool) or not isinstance(self.wait_seconds, (int, float)):
            raise TypeError("wait_seconds must be a number of seconds")


@dataclass(frozen=True)
class Permit:
    """A decision that allows the call, and how it is carried out."""

    question: Question
    decision: Decision
    arguments: Dict[str, Any]
    result_steps: Tuple[Callable[[Any], Any], ...] = ()


# Gives the function for the arguments that are to be used. Raises if it does not take them.
Prepare = Callable[[Dict[str, Any], Decision], Callable[[], Any]]
# Calls a function and, with asyncio, awaits what it returns.
Invoke = Callable[..., Awaitable[Any]]


class GuardCore:
    def __init__(self, engine: Engine, reporter: Reporter, invoke: Invoke, options: GuardOptions) -> None:
        self._engine = engine
        self._reporter = reporter
        self._invoke = invoke
        self._options = options

    async def run(self, arguments: Mapping[str, Any], prepare: Prepare) -> Any:
        """Runs the function at most once, and only with a decision that allows it.

        Its own exception is passed on, unless an obligation has to be applied to its result.
        """
        permit = await self.permit(arguments)
        try:
            function = prepare(permit.arguments, permit.decision)
        except Exception as error:
            await self.withdraw(permit)
            message = f"{self._name()} was not run: it does not take the arguments of an obligation handler."
            raise self._refusal(message, permit.decision) from error
        ending: Optional[BaseException] = None
        try:
            result = await self._invoke(function)
            withheld = unfinished(result)
        except BaseException as error:
            if not permit.result_steps:
                # The interpreter or the task ends: the report must not hold that up.
                await self.report(permit, "failure", in_background=not isinstance(error, Exception))
                raise
            ending = ending_of(error)
            withheld = "failed. What it raised is withheld: no obligation of its result can be applied to it."
        # Not in the handler above: the exception would be the context of these.
        if withheld:
            await self.report(permit, "failure", in_background=ending is not None)
            raise ending or self._refusal(f"{self._name()} ran and {withheld}", permit.decision, has_run=True)
        await self.report(permit, "success", result)
        try:
            return await self.applied(permit, result)
        finally:
            # Error reporters read the variables of the frames of an exception.
            del result

    async def applied(self, permit: Permit, result: Any) -> Any:
        """The result as the obligations demand.

        What a step raises may contain the result, and is withheld.
        """
        try:
            for step in permit.result_steps:
                result = await self._invoke(step, result)
            return result
        except BaseException as error:
            ending, kind = ending_of(error), type(error).__name__
        # Error reporters read the variables of the frames of an exception.
        del result
        message = f"{self._name()} ran, but an obligation could not be kept on its result, which is withheld"
        raise ending or self._refusal(f"{message} ({kind}).", permit.decision, has_run=True)

    async def permit(self, arguments: Mapping[str, Any]) -> Permit:
        """Raises RefusedError unless the call is allowed, and CancelledError when it was cancelled."""
        try:
            question = Question(self._options.target, arguments)
        except UnaskableError as error:
            raise RefusedError(
                f"{self._name()} was not run: its arguments can't be judged: {error}."
            ) from error
        judgement = await self._decide(question)
        permit = Permit(question, judgement.decision, question.arguments)
        try:
            permit = await self._keep(permit)
            self._engine.transport.check_cancelled()
            # Handlers of obligations may take their time.
            await self._confirm(judgement)
        except BaseException as error:
            await self._reporter.not_called(permit, in_background=not isinstance(error, Exception))
            raise
        return permit

    async def withdraw(self, permit: Permit) -> None:
        """Reports that a permitted call is not made."""
        await self._reporter.not_called(permit, in_background=False)

    async def report(
        self, permit: Permit, outcome: str, result: Any = None, in_background: bool = False
    ) -> None:
        digest = _result_digest(result) if outcome == "success" else None
        with_signal = self._options.report_signals
        await self._reporter.called(
            permit, outcome, digest, with_signal=with_signal, in_background=in_background
        )

    async def _decide(self, question: Question) -> Judgement:
        transport = self._engine.transport
        deadline = transport.now() + self._options.wait_seconds
        approval_id = APPROVAL.take()
        is_repeated = has_waited = False
        for _ in range(MAX_ROUNDS):
            judgement = await self._ask(question, approval_id, may_be_void=not is_repeated)
            if judgement is None:
                is_repeated, approval_id = True, None
                continue
            decision = judgement.decision
            if decision.verdict in ("ALLOW", "DEGRADE"):
                return judgement
            if decision.verdict == "DENY":
                words = "; ".join(f"{one.code}: {one.message}" for one in decision.reasons)
                message = f"{self._name()} was denied: {words or 'no reason was given'}."
                raise self._refusal(message, decision, approval_id)
            if has_waited and approval_id is not None:
                message = f"{self._name()} needs an approval, and the one that was given is not accepted."
                raise self._refusal(message, decision, approval_id)
            approval_id = await self._approved(decision, deadline - transport.now())
            has_waited = True
        raise RefusedError(f"{self._name()} was not run: its approval was used by other calls.")

    async def _ask(
        self, question: Question, approval_id: Optional[str], may_be_void: bool
    ) -> Optional[Judgement]:
        """A decision about this question; None when the question has to be asked again, once."""
        attempt_id = str(uuid.uuid4())
        age_seconds = start_timer(self._engine.transport)
        try:
            options = CallOptions(attempt_id=attempt_id)
            answer = await self._engine.send(ops.ENFORCE_EVALUATE, question.body(approval_id), options)
            decision = question.read(read_json(ops.ENFORCE_EVALUATE, answer))
            # A decision counts only for the request that made it: another call may have used this one.
            # A proxy can replace the X-Request-Id; the service repeats the one that it has seen. Without our
            # Idempotency-Key, it is that of an earlier answer, which a proxy repeats.
            is_named = answer.headers.get("idempotency-key") == attempt_id
            seen_id = answer.headers.get("x-request-id") if is_named else None
            is_ours = decision is not None and decision.request_id in (attempt_id, seen_id)
            if decision is not None and is_ours:
                return Judgement(decision, age_seconds)
            is_void = True
            error: Exception = UnexpectedAnswerError(
                "The answer is no decision about this call.", status=answer.status
            )
        except CancelledError:
            raise
        except (CustosError, ValueError, TypeError) as failure:
            # E5004: the decision that is repeated does not stand any more.
            is_void = isinstance(failure, ApiError) and failure.code == "E5004"
            error = failure
        if is_void and may_be_void:
            return None
        message = f"{self._name()} was not run: there is no decision. {error}"
        raise RefusedError(message, approval_id=approval_id) from error

    async def _approved(self, decision: Decision, wait_seconds: float) -> Optional[str]:
        """The id of the approval, once it is given; None when another call has used it."""
        if decision.approval is None:
            raise self._refusal(f"{self._name()} needs an approval, and none can be asked for.", decision)
        approval_id = decision.approval.approval_id
        waiting = f"{self._name()} needs the approval {approval_id}"
        # Also for NaN.
        if not wait_seconds > 0:
            raise self._refusal(f"{waiting} of a human.", decision, approval_id)
        try:
            state: ApprovalDetail = await self._engine.wait(
                ops.APPROVALS_GET,
                {"approval_id": approval_id},
                lambda one: one.status != "pending",
                wait_seconds,
            )
        except TimeoutError as error:
            raise self._refusal(f"{waiting}, which was not given in time.", decision, approval_id) from error
        except CancelledError:
            raise
        except CustosError as error:
            raise RefusedError(f"{waiting}, which can't be read. {error}", approval_id=approval_id) from error
        if state.status == "approved":
            return approval_id
        if state.status == "used":
            return None
        why = f": {state.reason}" if state.reason else ""
        raise self._refusal(f"{waiting}, which is {state.status}{why}.", decision, approval_id)

    async def _keep(self, permit: Permit) -> Permit:
        """Every obligation has a handler that keeps it, or the call is refused."""
        decision = permit.decision
        handlers = self._options.obligations
        unknown = [one["type"] for one in decision.obligations if one["type"] not in handlers]
        if unknown:
            message = f"{self._name()} was not run: its obligation {unknown[0]} has no handler."
            raise self._refusal(message, decision)
        arguments: Dict[str, Any] = permit.arguments
        steps: List[Callable[[Any], Any]] = []
        for obligation in decision.obligations:
            try:
                handler = handlers[obligation["type"]]
                kept = await self._invoke(handler, copy.deepcopy(obligation), copy.deepcopy(arguments))
                if kept is not None and not isinstance(kept, Kept):
                    raise TypeError(f"a handler returns None or Kept, not {type(kept).__name__}")
                if kept is not None and kept.arguments is not None:
                    arguments = copy.deepcopy(dict(kept.arguments))
                if kept is not None and kept.result is not None:
                    steps.append(kept.result)
            except Exception as error:
                message = (
                    f"{self._name()} was not run: its obligation {obligation['type']} could not be kept."
                )
                raise self._refusal(message, decision) from error
        return Permit(permit.question, decision, arguments, tuple(steps))

    async def _confirm(self, judgement: Judgement) -> None:
        """Raises RefusedError unless the decision may be acted upon now."""
        decision = judgement.decision
        try:
            why = await judgement.lapsed(self._engine)
        except CancelledError:
            raise
        except (CustosError, ValueError, TypeError) as error:
            message = f"{self._name()} was not run: whether its decision still stands is unknown. {error}"
            raise self._refusal(message, decision) from error
        if why is not None:
            raise self._refusal(f"{self._name()} was not run: its decision {why}.", decision)

    def _name(self) -> str:
        target = self._options.target
        return f"The tool {target.name} of {target.server}"

    def _refusal(
        self, message: str, decision: Decision, approval_id: Optional[str] = None, has_run: bool = False
    ) -> RefusedError:
        return RefusedError(
            message,
            verdict=decision.verdict,
            reasons=decision.reasons,
            decision_id=decision.decision_id,
            approval_id=approval_id,
            has_run=has_run,
        )


def _result_digest(result: Any) -> Optional[str]:
    """None for a result without canonical JSON."""
    try:
        return canonical.digest_of(result)
    except ValueError:
        return None

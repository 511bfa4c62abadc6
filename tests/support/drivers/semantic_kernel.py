"""Semantic Kernel, with a chat service that says what it is told to."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from contract import CONTEXT, DONE, WRITTEN_WITH_STR, Driver, Job, Script, Tools
from semantic_kernel import Kernel
from semantic_kernel.connectors.ai import FunctionChoiceBehavior, PromptExecutionSettings
from semantic_kernel.connectors.ai.chat_completion_client_base import ChatCompletionClientBase
from semantic_kernel.contents import (
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    TextContent,
)
from semantic_kernel.filters import FilterTypes, FunctionInvocationContext
from semantic_kernel.functions import (
    KernelArguments,
    KernelFunction,
    KernelFunctionFromMethod,
    KernelParameterMetadata,
    kernel_function,
)

from schema2model.adapters import semantic_kernel


def who(context: FunctionInvocationContext) -> str:
    """What a tool is told of the application."""
    return str(context.arguments["who"])


def raw(job: Job) -> KernelFunction:
    """A function of the kernel's own, of the schemas of its parameters."""

    @kernel_function(name="search", description="Find articles.")
    async def search_later(**given: Any) -> Any:
        arguments: KernelArguments = given.pop("arguments")
        return await job.run(given, arguments["who"])

    @kernel_function(name="search", description="Find articles.")
    def search(**given: Any) -> Any:
        arguments: KernelArguments = given.pop("arguments")
        return job.run(given, arguments["who"])

    parameters = [
        KernelParameterMetadata(
            name=name,
            schema_data=shown,
            is_required=name in job.schema["required"],
            type_object=Any,
        )
        for name, shown in job.schema["properties"].items()
    ]
    parameters.append(KernelParameterMetadata(name="arguments", include_in_function_choices=False))
    method = search_later if job.asynchronous else search
    return KernelFunctionFromMethod(method, parameters=parameters)


def made_of_function(job: Job) -> KernelFunction:
    """A function of the kernel's own, of a function of Python."""
    hidden = Annotated[KernelArguments, {"include_in_function_choices": False}]
    made = job.function("arguments", hidden, lambda arguments: str(arguments["who"]))
    return KernelFunctionFromMethod(kernel_function(name="search")(made))


class Service(ChatCompletionClientBase):
    """Makes the calls of a script, one after the other."""

    SUPPORTS_FUNCTION_CALLING: ClassVar[bool] = True

    script: Any

    async def _inner_get_chat_message_contents(
        self, chat_history: ChatHistory, settings: PromptExecutionSettings
    ) -> list[ChatMessageContent]:
        made = len(answers(chat_history))
        item: Any = TextContent(text=DONE)
        if made < len(self.script):
            call = self.script[made]
            item = FunctionCallContent(id=f"call-{made}", name=call.name, arguments=call.text)
        return [ChatMessageContent(role="assistant", items=[item])]


def answers(history: ChatHistory) -> list[FunctionResultContent]:
    """The results of the calls in a conversation."""
    items = [item for message in history.messages for item in message.items]
    return [item for item in items if isinstance(item, FunctionResultContent)]


async def converse(setup: dict[str, Any], script: Script) -> list[str]:
    """What the model is told of each call."""
    kernel = Kernel()
    kernel.add_function("shop", setup["function"])
    for made in setup.get("filters", ()):
        kernel.add_filter(FilterTypes.AUTO_FUNCTION_INVOCATION, made)
    history = ChatHistory()
    history.add_user_message("Go on.")
    settings = PromptExecutionSettings(function_choice_behavior=FunctionChoiceBehavior.Auto())
    named = tuple(type(call)(call.arguments, f"shop-{call.name}") for call in script)
    service = Service(ai_model_id="scripted", script=named)
    await service.get_chat_message_contents(
        history, settings, kernel=kernel, arguments=KernelArguments(who=CONTEXT)
    )
    return [str(answer.result) for answer in answers(history)]


TOOLS = Tools(
    adapter=semantic_kernel,
    raw=raw,
    function=made_of_function,
    alone=lambda tool: {"function": tool},
    hooks={
        "coercion": lambda tool, **options: {
            "function": tool,
            "filters": [semantic_kernel.coercion(**options)],
        },
    },
    who=who,
    context=FunctionInvocationContext,
)

DRIVER = Driver(
    ways=TOOLS.ways,
    tools=TOOLS,
    converse=converse,
    differs={
        **dict.fromkeys(
            ["malformed text", "text in a fence", "encoded twice"],
            "The kernel itself answers text that is not JSON, and unknown or missing names.",
        ),
        **WRITTEN_WITH_STR,
    },
)
